// Package changefeed reads the change feeds of the containers, and stores what their processors need: leases
// and dead letters.
package changefeed
