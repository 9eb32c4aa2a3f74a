package article

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"inkfeed/domain"
)

// maxAuthorPosts is the maximum number of posts of one user in a sample. The article's users have up to 50.
const maxAuthorPosts = 100

// Sample is the part of a blog that the article's queries read. Their charges do not depend on the rest: a point read
// and an index lookup cost the same however many other items there are.
type Sample struct {
	Users   []domain.User
	Entries []Entry // newest first
	// Author is the user with the most posts among the newest. Q3 lists their posts.
	Author domain.User
	// Post is the post with the most comments and likes among the newest. Q2, Q4 and Q5 read it.
	Post domain.Post
}

// ReadSample reads a sample of a blog: the newest posts of the front page, and the posts of the user who wrote the most
// of them. Each post has its first page of comments and likes. Users get other names. The sample has no tags, drafts
// and edits, which the article does not have. ReadSample fails with NotFound if the blog has no posts.
func ReadSample(ctx context.Context, blog *V3) (Sample, error) {
	newest, err := allPages(NewestLimit, func(page int) (domain.ListPage[domain.Summary], error) {
		return blog.feed.FrontPage(ctx, page)
	})
	if err != nil {
		return Sample{}, err
	}
	if len(newest) == 0 {
		return Sample{}, domain.NewError(domain.NotFound, "The blog has no posts to compare the models with.")
	}
	author := mostFrequent(newest)
	others, err := allPages(maxAuthorPosts, func(page int) (domain.ListPage[domain.Summary], error) {
		return blog.userCopies.PostsOf(ctx, author, page)
	})
	if err != nil {
		return Sample{}, err
	}
	s, names := Sample{}, renamed{}
	taken := map[string]bool{}
	for i, short := range slices.Concat(newest, others) {
		if taken[short.PostID] {
			continue
		}
		taken[short.PostID] = true
		e, err := blog.entry(ctx, short.PostID, names)
		if domain.Is(err, domain.NotFound) { // deleted in the meantime
			continue
		}
		if err != nil {
			return Sample{}, err
		}
		e.Newest = i < len(newest)
		s.Entries = append(s.Entries, e)
		if e.Newest && (s.Post.ID == "" || e.CommentCount+e.LikeCount > s.Post.CommentCount+s.Post.LikeCount) {
			s.Post = e.Post
		}
	}
	if len(s.Entries) == 0 {
		return Sample{}, domain.NewError(domain.NotFound, "The blog has no posts to compare the models with.")
	}
	slices.SortFunc(s.Entries, func(a, b Entry) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	s.Users = names.users()
	s.Author = domain.User{ID: author, Username: names.of(author)}
	return s, nil
}

// allPages returns the items of a list up to a number.
func allPages(most int, read func(page int) (domain.ListPage[domain.Summary], error)) ([]domain.Summary, error) {
	var all []domain.Summary
	for number := 1; ; number++ {
		page, err := read(number)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if !page.More || len(all) >= most {
			return all[:min(len(all), most)], nil
		}
	}
}

// mostFrequent returns the id of the user who wrote most posts of a list.
func mostFrequent(list []domain.Summary) string {
	counts, most := map[string]int{}, ""
	for _, s := range list {
		counts[s.AuthorID]++
		if most == "" || counts[s.AuthorID] > counts[most] {
			most = s.AuthorID
		}
	}
	return most
}

// entry reads a post with its first page of comments and likes.
func (m *V3) entry(ctx context.Context, postID string, names renamed) (Entry, error) {
	post, err := m.posts.Get(ctx, postID)
	if err != nil {
		return Entry{}, err
	}
	comments, err := m.Q4(ctx, postID)
	if err != nil {
		return Entry{}, err
	}
	likes, err := m.Q5(ctx, postID)
	if err != nil {
		return Entry{}, err
	}
	e := Entry{Post: domain.Post{ID: post.ID, AuthorID: post.AuthorID, AuthorName: names.of(post.AuthorID),
		Title: post.Title, Content: post.Content, Created: post.Created, Revision: 1, Version: 1}}
	for _, c := range comments {
		if c.AuthorID == "" { // the placeholder of a deleted comment
			continue
		}
		e.Comments = append(e.Comments, domain.Comment{ID: c.ID, PostID: c.PostID, AuthorID: c.AuthorID,
			AuthorName: names.of(c.AuthorID), Content: c.Content, Created: c.Created})
	}
	for _, l := range likes {
		e.Likes = append(e.Likes, domain.Like{PostID: l.PostID, UserID: l.UserID, Username: names.of(l.UserID),
			Created: l.Created})
	}
	e.CommentCount, e.LikeCount = len(e.Comments), len(e.Likes)
	return e, nil
}

// renamed has other names for the users of a sample, by their ids.
type renamed map[string]string

func (r renamed) of(userID string) string {
	if r[userID] == "" {
		r[userID] = "sample-" + strconv.Itoa(len(r)+1)
	}
	return r[userID]
}

// users returns the users in a stable order.
func (r renamed) users() []domain.User {
	var list []domain.User
	for id, name := range r {
		list = append(list, domain.User{ID: id, Username: name, Created: time.Unix(0, 0).UTC(), NameVersion: 1,
			PropagatedVersion: 1})
	}
	slices.SortFunc(list, func(a, b domain.User) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
