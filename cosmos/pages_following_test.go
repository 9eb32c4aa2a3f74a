package cosmos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"inkfeed/domain"
)

// followingRequests lists the reads of the pages about follows.
func followingRequests() []pageRequest {
	followers := pageCall{"the number of followers", 1, func(ctx context.Context, b *pagesBlog) error {
		f, err := b.Follows.Followers(ctx, domain.AuthorSource(b.author.ID))
		return atLeast(f.Count, domain.FollowsPerPage, err)
	}}
	return []pageRequest{
		{"/following", []pageCall{{"the timeline; its posts come from the index", 1,
			func(ctx context.Context, b *pagesBlog) error {
				t, err := b.Follows.Timeline(ctx, b.author.ID, "", domain.TimelinePerPage+1)
				return atLeast(len(t.Entries), domain.TimelinePerPage, err)
			}}}},
		{"additionally for each merged source that no reader has read since its last change", []pageCall{{
			"its newest posts", 1, func(ctx context.Context, b *pagesBlog) error {
				list, err := b.UserCopies.PostsAfter(ctx, b.author.ID, "", domain.TimelinePerPage+1)
				return atLeast(len(list), domain.TimelinePerPage, err)
			}}}},
		{"the pages of an author, additionally", []pageCall{followers}},
		{"the pages of an author, a post and a tag, additionally for a member who follows something",
			[]pageCall{{"whether the member follows it", 1, func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Follows.Has(ctx, b.author.ID, domain.TagSource("go"))
				return err
			}}}},
		{"/@{username}/followers", []pageCall{{"the user by name", 2,
			func(ctx context.Context, b *pagesBlog) error {
				_, err := b.Users.ByName(ctx, b.author.Username)
				return err
			}}, followers, {"50 followers; their names, here in two feed ranges", 3,
			func(ctx context.Context, b *pagesBlog) error {
				list, _, err := b.Follows.ListFollowers(ctx, domain.AuthorSource(b.author.ID), "")
				return atLeast(len(list), domain.FollowsPerPage, err)
			}}}},
	}
}

// withFollows makes users follow the author, and fills the author's timeline.
func (b *pagesBlog) withFollows(t *testing.T) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	for n := range domain.FollowsPerPage + 5 {
		reader, err := domain.NewUser(fmt.Sprint("follower-", n), now)
		if err == nil {
			err = b.Accounts.Create(ctx, reader, "hash")
		}
		if err == nil {
			_, err = b.Follows.Follow(ctx, reader.ID, domain.AuthorSource(b.author.ID), now)
		}
		if err == nil {
			err = b.Follows.AddEntry(ctx, []string{b.author.ID}, domain.TimelineEntry{
				Source: domain.AuthorSource(reader.ID), PostID: domain.NewID(), AuthorID: reader.ID,
				Created: now.Add(time.Duration(n) * time.Minute)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
