	x <- 1	# after tabs
  y	<-	2
# only a comment
x#y
f(#
  a)
#----
a	+	b	c
#----
	 )
#----


  # nothing

#----
#----
#! /usr/bin/env Rscript
#' @param x for roxygen
NULL
## the end, without a line end: ü
x
#----
x　<- 1
#----
x <- 1 # tab	and form feed
#----
x;	y;z)
