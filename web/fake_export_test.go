package web_test

import (
	"context"
	"iter"
	"time"

	"inkfeed/domain"
)

// fakeRedirects lead from former addresses; fakeExport is all that a user wrote.
type (
	fakeRedirects struct{ *fake }
	fakeExport    struct{ *fake }
)

// setRedirect lets a former address lead to a post.
func (f *fake) setRedirect(path, postID string) {
	f.addRedirect(domain.Redirect{Path: path, OwnerID: f.posts[postID].AuthorID, PostID: postID})
}

// addRedirect adds a redirect, in place of one from the same address.
func (f *fake) addRedirect(r domain.Redirect) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.redirects == nil {
		f.redirects = map[string]domain.Redirect{}
	}
	f.redirects[r.Path] = r
}

func (f fakeRedirects) Find(_ context.Context, path string) (domain.Redirect, error) {
	leave, err := f.enter("Redirects.Find")
	defer leave()
	to, ok := f.redirects[path]
	if err == nil && !ok {
		err = errMissing
	}
	return to, err
}

func (f fakePosts) Latest(_ context.Context, id string) (domain.Post, error) {
	leave, err := f.enter("Latest")
	defer leave()
	if err != nil {
		return domain.Post{}, err
	}
	if author, ok := f.deleted[id]; ok {
		return domain.Post{ID: id, AuthorID: author, Deleted: time.Now()}, nil
	}
	p, ok := f.posts[id]
	if !ok {
		return domain.Post{}, errMissing
	}
	return p, nil
}

// each gives what a list holds at this moment; the method may be told to fail, after all.
func each[T any](f *fake, method string, list func() []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		leave, err := f.enter(method)
		all := list()
		leave()
		for _, one := range all {
			if !yield(one, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

func (f fakeExport) Posts(_ context.Context, userID string) iter.Seq2[domain.Post, error] {
	return each(f.fake, "Export.Posts", func() (list []domain.Post) {
		for _, p := range f.posts {
			if p.AuthorID == userID {
				list = append(list, p)
			}
		}
		return list
	})
}

func (f fakeExport) Versions(_ context.Context, postID string) iter.Seq2[domain.PostVersion, error] {
	return each(f.fake, "Export.Versions", func() []domain.PostVersion { return f.versions[postID] })
}

func (f fakeExport) Drafts(_ context.Context, userID string) iter.Seq2[domain.Draft, error] {
	return each(f.fake, "Export.Drafts", func() (list []domain.Draft) {
		for _, d := range f.drafts {
			if d.AuthorID == userID {
				list = append(list, d)
			}
		}
		return list
	})
}

func (f fakeExport) Comments(_ context.Context, userID string) iter.Seq2[domain.Comment, error] {
	return each(f.fake, "Export.Comments", func() (list []domain.Comment) {
		for _, comments := range f.comments {
			for _, c := range comments {
				if c.AuthorID == userID {
					list = append(list, c)
				}
			}
		}
		return list
	})
}

func (f fakeExport) Likes(_ context.Context, userID string) iter.Seq2[domain.Like, error] {
	return each(f.fake, "Export.Likes", func() (list []domain.Like) {
		for _, likes := range f.likes {
			for _, l := range likes {
				if l.UserID == userID {
					list = append(list, l)
				}
			}
		}
		return list
	})
}

func (f fakeExport) Bookmarks(context.Context, string) iter.Seq2[domain.Bookmark, error] {
	return func(func(domain.Bookmark, error) bool) {}
}

func (f fakeExport) Images(_ context.Context, userID string) iter.Seq2[domain.Image, error] {
	return each(f.fake, "Export.Images", func() (list []domain.Image) {
		for _, i := range f.images {
			if i.UserID == userID {
				list = append(list, i)
			}
		}
		return list
	})
}

func (f fakeExport) Paths(_ context.Context, userID string) (map[string][]string, error) {
	leave, err := f.enter("Export.Paths")
	defer leave()
	paths := map[string][]string{}
	for path, to := range f.redirects {
		if to.OwnerID == userID {
			paths[to.PostID] = append(paths[to.PostID], path)
		}
	}
	return paths, err
}
