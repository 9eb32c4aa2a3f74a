package exporting

import (
	"io"
	"iter"

	"inkfeed/domain/portable"
	"inkfeed/domain/portable/export"
	"inkfeed/domain/throttle"
)

// inTurns returns the same content, which yields the turn between its elements.
func inTurns(s export.Source, turn *throttle.Turn) export.Source {
	if turn == nil {
		return s
	}
	posts := s.Posts
	s.Posts = func() iter.Seq2[portable.Post, error] { return yielding(posts(), turn) }
	s.Comments, s.Likes, s.Bookmarks = yielding(s.Comments, turn), yielding(s.Likes, turn), yielding(s.Bookmarks, turn)
	s.Images = Map(yielding(s.Images, turn), func(i export.Image) export.Image {
		open := i.Open
		i.Open = func() (file io.ReadCloser, err error) {
			turn.Without(func() { file, err = open() })
			if err != nil {
				return nil, err
			}
			return struct {
				io.Reader
				io.Closer
			}{turn.Input(file), file}, nil
		}
		return i
	})
	return s
}

// yielding returns the same sequence, which yields the turn before it reads an element.
func yielding[T any](all iter.Seq2[T, error], turn *throttle.Turn) iter.Seq2[T, error] {
	if all == nil {
		return nil
	}
	return func(yield func(T, error) bool) {
		next, stop := iter.Pull2(all)
		defer stop()
		for {
			turn.Yield()
			var each T
			var err error
			var more bool
			turn.Storage(func() { each, err, more = next() })
			if !more || !yield(each, err) {
				return
			}
		}
	}
}
