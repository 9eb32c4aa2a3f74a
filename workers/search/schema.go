package search

// Numbers that say whose a file is, and of which form. A file of another form is made
// anew: raise schemaVersion with every change of the schema, of what is a term, or of
// how text is taken from Markdown.
const (
	applicationID = 0x1bfeed01
	schemaVersion = 2
)

// schema is the tables of a new file.
//
// posts.doc is the row id in all others, and in the order in which posts were created, to
// the second: what is found in the index comes newest first without being sorted. Posts
// that are not listed any more stay in posts, so that no older version of theirs, which
// may come again, brings them back.
//
// author is a username, and called the display name.
//
// words has no content of its own, which is in texts: extracts are cut by the same rules
// that made the terms.
const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE marks (
	low TEXT NOT NULL, high TEXT NOT NULL, continuation TEXT NOT NULL, lsn INTEGER NOT NULL,
	read INTEGER NOT NULL, complete INTEGER NOT NULL, PRIMARY KEY (low, high)
) WITHOUT ROWID;
CREATE TABLE posts (
	doc INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, listed INTEGER NOT NULL,
	digest BLOB NOT NULL, deleted INTEGER NOT NULL, author_id TEXT NOT NULL, author TEXT NOT NULL, called TEXT NOT NULL,
	title TEXT NOT NULL, slug TEXT NOT NULL, tags TEXT NOT NULL, created INTEGER NOT NULL, edited INTEGER NOT NULL,
	comments INTEGER NOT NULL, likes INTEGER NOT NULL
);
CREATE INDEX listed ON posts (doc) WHERE listed;
CREATE TABLE texts (doc INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE tags (key TEXT NOT NULL, name TEXT NOT NULL, posts INTEGER NOT NULL, PRIMARY KEY (key, name)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, text, tags, author, called,
	content='', contentless_delete=1, tokenize="ascii tokenchars '+#@-._'");
`

// weights are what a match in each column of words counts for, in their order.
const weights = "8.0, 1.0, 5.0, 3.0, 3.0"
