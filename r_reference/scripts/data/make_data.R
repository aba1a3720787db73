# Makes the small data sets of the scripts. Nobody in them exists.
# Rscript make_data.R, in this folder.
set.seed(20240611)
missing_at_random <- function(x, share) replace(x, sample(length(x), round(share * length(x))), NA)

n <- 300
region <- sample(c("North", "South", "East", "West"), n, TRUE, c(.35, .3, .2, .15))
age <- pmin(pmax(round(rnorm(n, 47, 17)), 18), 95)
sex <- sample(c("f", "m"), n, TRUE, c(.52, .48))
employed <- ifelse(age < 66 & runif(n) < .78, "yes", "no")
income <- round(exp(rnorm(n, 7.6 + .35 * (employed == "yes"), .45)))
trust <- pmin(pmax(round(rnorm(n, 5.4 + .6 * (region == "North"), 2.1)), 0), 10)
write.csv(data.frame(id = 1:n, region, sex, age, employed, income = missing_at_random(income, .07),
                     trust = missing_at_random(trust, .03)),
          "survey.csv", row.names = FALSE, quote = FALSE)

n <- 240
arm <- rep(c("placebo", "low", "high"), each = n / 3)
site <- sample(1:6, n, TRUE)
age <- round(runif(n, 35, 80))
sex <- sample(c("Female", "Male"), n, TRUE)
sbp0 <- round(rnorm(n, 152, 12))
sbp12 <- round(sbp0 - 3 - c(placebo = 0, low = 6, high = 11)[arm] + rnorm(n, 0, 9))
grade <- sample(0:3, n, TRUE, c(.55, .25, .15, .05))
response <- as.integer(sbp12 < 140)
write.csv(data.frame(patient = sprintf("P%03d", 1:n), arm, site, age, sex, sbp0,
                     sbp12 = missing_at_random(sbp12, .06), grade, response),
          "trial.csv", row.names = FALSE)

n <- 400
type <- sample(c("single", "couple", "family", "other"), n, TRUE, c(.4, .28, .25, .07))
size <- c(single = 1, couple = 2, family = 3, other = 3)[type] + (type != "single") * rbinom(n, 2, .2)
income <- round(rlnorm(n, 10.1, .55) * sqrt(size) / 50) * 50
rent <- round(pmin(.6 * income / 12, rlnorm(n, 6.6, .3)), 2)
write.csv(data.frame(household = 1001:1400, year = sample(2019:2022, n, TRUE), type, size, income,
                     rent = missing_at_random(rent, .1)),
          "households.csv", row.names = FALSE, quote = FALSE)

n <- 320
age <- round(runif(n, 20, 70))
debt <- round(rbeta(n, 2, 4), 3)
late <- rpois(n, .8)
salary <- round(rnorm(n, 38, 11), 1)
default <- as.integer(runif(n) < plogis(-3.6 + 5 * debt + .7 * late - .02 * (salary - 38)))
write.csv(data.frame(age, salary, debt, late, default), "credit.csv", row.names = FALSE)

n <- 250
area <- round(runif(n, 28, 160))
rooms <- pmax(1, round(area / 27 + rnorm(n, 0, .6)))
built <- sample(1920:2020, n, TRUE)
centre <- round(rexp(n, .2), 1)
price <- round(40 + 2.9 * area + 9 * rooms + .25 * (built - 1970) - 4.5 * centre + rnorm(n, 0, 38))
write.csv(data.frame(area, rooms, built, centre, price = missing_at_random(price, .04)), "flats.csv",
          row.names = FALSE)

n <- 350
school <- sample(c("Abbey", "Brook", "Cedar", "Dale", "Elm"), n, TRUE)
grade <- sample(7:10, n, TRUE)
gender <- sample(c("girl", "boy"), n, TRUE)
reading <- pmin(100, pmax(0, round(rnorm(n, 61 + 3 * (gender == "girl"), 15), 1)))
math <- pmin(100, pmax(0, round(.55 * reading + 26 + 2 * (school == "Cedar") + rnorm(n, 0, 11), 1)))
absent <- rnbinom(n, 1.2, mu = 5)
write.csv(data.frame(pupil = 1:n, school, grade, gender, math = missing_at_random(math, .05), reading, absent),
          "pupils.csv", row.names = FALSE)

n <- 380
mode <- sample(c("bus", "car", "cycle", "train", "walk"), n, TRUE, c(.18, .42, .16, .14, .10))
km <- round(rgamma(n, 1.8, 1 / c(bus = 5, car = 8, cycle = 2.4, train = 14, walk = .9)[mode]), 1)
minutes <- round(km / c(bus = 18, car = 34, cycle = 15, train = 45, walk = 5)[mode] * 60 + runif(n, 2, 15))
district <- sample(c("Harbour", "Hill", "Old Town"), n, TRUE)
write.csv(data.frame(mode, district, km, minutes, season = sample(c("summer", "winter"), n, TRUE),
                     satisfied = missing_at_random(sample(1:5, n, TRUE, c(.08, .14, .28, .34, .16)), .05)),
          "trips.csv", row.names = FALSE)
