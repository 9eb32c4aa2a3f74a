// Package copies stores the copies of posts that lists are read from: in users by author and by reader, in feed
// the newest, and in tags by tag. The projectors of the change feed keep them current; a rebuild repairs them.
package copies
