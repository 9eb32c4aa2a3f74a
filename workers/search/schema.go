package search

// Numbers that identify the application and the form of a file. A file of another form is rebuilt. Raise schemaVersion
// with every change of the schema, of the rules for terms, or of the extraction of text from Markdown.
const (
	applicationID = 0x1bfeed01
	schemaVersion = 11
)

// schema creates the tables of a new file.
//
// posts.doc is the row id in all tables. It follows the order in which posts were created, to the second, so matches
// come newest first without being sorted. Posts that are no longer listed stay in posts, so that an older version,
// which the feed may repeat, does not list them again.
//
// page tells the texts of static pages, which a search finds too, from posts.
//
// language is that of the post, or empty if it is not known.
//
// elsewhere tells the posts that name another site's address as the canonical one.
//
// summary and details are those of the short form of the post: see Index.Summaries.
//
// The column author is the username, and called is the display name.
//
// people has the names of the authors of posts apart, and vocabulary shows the terms of words.
//
// The tables words and people are contentless; the content is in posts and texts. Extracts are cut by the same rules
// that made the terms.
const schema = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE marks (
	low TEXT NOT NULL, high TEXT NOT NULL, continuation TEXT NOT NULL, lsn INTEGER NOT NULL,
	read INTEGER NOT NULL, complete INTEGER NOT NULL, PRIMARY KEY (low, high)
) WITHOUT ROWID;
CREATE TABLE posts (
	doc INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, listed INTEGER NOT NULL,
	digest BLOB NOT NULL, deleted INTEGER NOT NULL, author_id TEXT NOT NULL, author TEXT NOT NULL,
	called TEXT NOT NULL, avatar TEXT NOT NULL, title TEXT NOT NULL, slug TEXT NOT NULL, tags TEXT NOT NULL,
	created INTEGER NOT NULL, edited INTEGER NOT NULL, comments INTEGER NOT NULL, likes INTEGER NOT NULL,
	words INTEGER NOT NULL, ideographs INTEGER NOT NULL, cover TEXT NOT NULL, cover_alt TEXT NOT NULL,
	cover_focus TEXT NOT NULL, page INTEGER NOT NULL, language TEXT NOT NULL, elsewhere INTEGER NOT NULL,
	summary TEXT NOT NULL, details TEXT NOT NULL
);
CREATE INDEX own ON posts (doc) WHERE listed AND NOT page AND NOT elsewhere;
CREATE TABLE texts (doc INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE tags (
	key TEXT NOT NULL, name TEXT NOT NULL, posts INTEGER NOT NULL, PRIMARY KEY (key, name)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(title, text, tags, author, called,
	content='', contentless_delete=1, tokenize="ascii tokenchars '+#@-._'");
CREATE VIRTUAL TABLE people USING fts5(author, called,
	content='', contentless_delete=1, tokenize="ascii tokenchars '+#@-._'");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, 'row');
`

// weights are the weights of a match in each column of words, in the order of the columns.
const weights = "8.0, 1.0, 5.0, 3.0, 3.0"
