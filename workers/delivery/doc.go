// Package delivery delivers what is stored for receivers outside, such as mails, in the background.
//
// Each destination is delivered to by one worker at a time, among all instances: a worker owns it until it releases it,
// or has not renewed its ownership for a while. Deliveries to one destination follow one another, fresh ones first.
// Destinations of one host share its limit and its pauses: after a failure of the host nothing is delivered to it for a
// while, and then a single worker tries.
//
// A delivery is recorded as soon as the receiver has accepted it. It is repeated only if the process or the connection
// ended between the two, and then as the same message.
package delivery
