// Package search implements the full-text index of listed posts. Every process keeps its own index, in one SQLite file
// in its data folder, and updates it from the change feed of posts.
//
// A batch of changes and the mark behind it are stored in one transaction. So the index always corresponds to its
// marks, however the process ends. The index is rebuilt if its file cannot be used. It is also rebuilt if it was not
// updated for so long that the feed may no longer show all deletions.
//
//	index.go    opens, locks and creates the file
//	schema.go   the tables
//	follow.go   turns changes of posts into rows: tailer.Follower
//	words.go    splits a text into terms; fold.go: letters that count as equal
//	query.go    turns what a person typed into an FTS5 expression
//	find.go     searches
//	extract.go  the part of a post that a result shows, with matches marked
//	spelling.go probable spellings of words that few posts have
//	tags.go     tag suggestions; listing.go: all posts, for the sitemap
package search
