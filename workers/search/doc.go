// Package search is the full-text index that every process keeps of the listed posts, in
// one SQLite file in its data folder, by following the change feed of the posts.
//
// A page of changes and the mark behind it are one transaction, so whatever stops the
// process, the index is what the feed says up to its marks. A file that cannot be used,
// or that was not kept for so long that deletions may have left the feed, is made anew.
//
//	index.go    the file: opened, locked, made anew
//	schema.go   what is in it
//	follow.go   changes of posts become rows: tailer.Follower
//	words.go    a text as terms; fold.go: letters that are found by each other
//	query.go    what people type, as an expression of FTS5
//	find.go     searching
//	extract.go  what of a post is shown, with matches marked
//	tags.go     tag suggestions; listing.go: all posts, for a sitemap
package search
