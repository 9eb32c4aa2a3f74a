// Package metering measures what the requests to the storage cost, and stores the sums in the container costs.
//
// A [Recorder] observes every request of its process. It writes one item a minute for the last hour, and every five
// minutes one for the last day and one for the last month. All items expire, so each instance has at most 61, 49 and 61
// of them. docs/costs.md states what that costs.
package metering
