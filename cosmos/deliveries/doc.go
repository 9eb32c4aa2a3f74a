// Package deliveries stores what the site sends to receivers outside: mails, for example. The container deliveries has
// one logical partition for each destination, with one item for each delivery. One more partition lists the
// destinations, so that a worker finds those with due deliveries by one query.
//
// The property sortKey sorts both kinds of items: fresh deliveries by their creation, then repeated ones by their next
// attempt, then those that are given up.
package deliveries
