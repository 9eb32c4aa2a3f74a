// Package following stores who follows which authors and tags, and the timelines of new posts that result from it. A
// follow is stored in the follower's partition of users, and in the partition of the followers of its source, which
// counts them. See docs/data-model.md.
package following
