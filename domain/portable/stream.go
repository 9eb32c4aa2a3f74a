package portable

import (
	"encoding/gob"
	"io"

	"inkfeed/domain/locale"
)

// outcome begins the stream that EncodeBlog writes: the result of reading an export.
type outcome struct {
	Fault  locale.Message // why it cannot be read; zero: the posts follow
	Cause  string         // of the fault
	Blog   Blog           // without its posts
	Posts  int
	Nested []string // see Files.AddZip
}

// EncodeBlog writes the result of reading an export for DecodeBlog: a failure, or the blog without its files, followed
// by each post. It drops a post once it is written, so that its memory becomes free.
func EncodeBlog(w io.Writer, b *Blog, failure error) error {
	e := gob.NewEncoder(w)
	if failure != nil {
		return e.Encode(outcome{Fault: Explain(failure), Cause: failure.Error()})
	}
	head := outcome{Blog: *b, Posts: len(b.Posts), Nested: b.Files.nested}
	head.Blog.Posts, head.Blog.Files = nil, nil
	if err := e.Encode(head); err != nil {
		return err
	}
	for i := range b.Posts {
		if err := e.Encode(b.Posts[i]); err != nil {
			return err
		}
		b.Posts[i] = Post{}
	}
	return nil
}

// DecodeBlog reads a result that EncodeBlog has written. Files are the files of the same export; DecodeBlog adds those
// of the zips within it. A failure becomes a Fault.
func DecodeBlog(r io.Reader, files *Files) (*Blog, error) {
	d := gob.NewDecoder(r)
	var head outcome
	if err := d.Decode(&head); err != nil {
		return nil, err
	}
	if !head.Fault.IsZero() {
		return nil, NewFault(head.Fault, causeText(head.Cause))
	}
	b := &head.Blog
	b.Files = files
	for _, name := range head.Nested {
		if err := files.AddZip(name); err != nil {
			return nil, err
		}
	}
	for range head.Posts {
		var p Post
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		b.Posts = append(b.Posts, p)
	}
	return b, nil
}

// causeText is the text of an error that another process has found.
type causeText string

func (c causeText) Error() string { return string(c) }
