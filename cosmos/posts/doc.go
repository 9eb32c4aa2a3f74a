// Package posts stores the container posts: posts with their comments, likes, bookmarks and past versions. They
// share the post's partition, so that a count and the counted items change in one transaction.
package posts
