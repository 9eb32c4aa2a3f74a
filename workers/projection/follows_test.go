package projection

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// newsJournal records the deliveries of news.
type newsJournal struct{ *journal }

func (j newsJournal) Put(_ context.Context, list ...domain.Delivery) error {
	for _, d := range list {
		if err := j.log("deliver %s to %s at %s", d.News.PostID, d.News.Source.Key(), d.Destination[:15]); err != nil {
			return err
		}
	}
	return nil
}

func TestFollowsAreCompleted(t *testing.T) {
	ada := domain.AuthorSource("ada")
	follow := func(version int64, ended bool) feeds.UserChange {
		f := domain.Follow{UserID: "bob", Source: ada, Version: version}
		if ended {
			f.Deleted = time.Now()
		}
		return feeds.UserChange{Follow: &f}
	}
	live := map[string]domain.Author{"ada": {Name: "ada"}, "bob": {Name: "bob"}}
	project := func(t *testing.T, j *journal, changes ...feeds.UserChange) {
		t.Helper()
		p := usersProjector(j)
		p.Logger = slog.New(slog.DiscardHandler)
		if err := p.Project(t.Context(), changes); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("in their latest state", func(t *testing.T) {
		j := &journal{authors: live}
		project(t, j, follow(1, false), follow(3, true), follow(2, false))
		j.is(t, "complete the follow of ada by bob, ended true")
	})
	for name, j := range map[string]*journal{
		"the author has blocked the follower":  {authors: live, blocks: []string{"ada bob"}},
		"the follower has blocked the author":  {authors: live, blocks: []string{"bob ada"}},
		"the account of the author is deleted": {authors: map[string]domain.Author{"ada": {Deleted: true}, "bob": {}}},
		"the account of the follower is":       {authors: map[string]domain.Author{"ada": {}, "bob": {Deleted: true}}},
	} {
		t.Run("unless "+name, func(t *testing.T) {
			project(t, j, follow(1, false))
			j.is(t, "bob unfollows ada")
		})
	}
	t.Run("of tags too", func(t *testing.T) {
		j := &journal{authors: live}
		f := domain.Follow{UserID: "bob", Source: domain.TagSource("go"), Version: 1}
		project(t, j, feeds.UserChange{Follow: &f})
		j.is(t, "complete the follow of "+domain.TagSource("go").Key()+" by bob, ended false")
	})
	t.Run("and a block ends those in both directions", func(t *testing.T) {
		project(t, &journal{authors: live}, feeds.UserChange{Block: &domain.Block{UserID: "ada", BlockedID: "bob"}})
		j := &journal{authors: live, blocks: []string{"ada bob"}}
		project(t, j, feeds.UserChange{Block: &domain.Block{UserID: "ada", BlockedID: "bob"}})
		j.is(t, "ada unfollows bob", "bob unfollows ada")
	})
	t.Run("until all of a deleted account have ended", func(t *testing.T) {
		j := &journal{moreFollows: true}
		project(t, j, feeds.UserChange{User: &domain.User{ID: "u", Deleted: time.Now()}})
		j.is(t, "again u", "erase the follows of u")
	})
}

func TestFollowersAreToldOfNewPosts(t *testing.T) {
	tag := domain.TagSource("go")
	news := domain.Post{ID: "p", AuthorID: "u1", AuthorName: "ada", Tags: "Go,Rust", Version: 1, News: true,
		Created: time.Now()}
	project := func(t *testing.T, j *journal, post domain.Post, rebuild bool) {
		t.Helper()
		j.authors = map[string]domain.Author{"u1": {Name: "ada"}}
		p := &PostsProjector{UserCopies: j, Feed: j, Tags: tagJournal{j}, Posts: j, Drafts: j,
			Reviews: reviewJournal{j}, Markdown: markdown.New(), AuthorCorrector: AuthorCorrector{Authors: j, Items: j}}
		if !rebuild {
			p.News, p.FollowerCounts = newsJournal{j}, j
		}
		if err := p.tell(t.Context(), post); err != nil && !errors.Is(err, j.fail) {
			t.Fatal(err)
		}
	}
	t.Run("of its author and of its tags, large numbers apart from small ones", func(t *testing.T) {
		j := &journal{followers: map[string]domain.Followers{"u1": {Count: 1000}, tag.Key(): {Count: 1}}}
		project(t, j, news, false)
		j.is(t, "deliver p to "+tag.Key()+" at timelines:small", "deliver p to u1 at timelines:large",
			"the followers were told of p")
	})
	t.Run("once: nothing is stored for those that nobody follows or that are merged when they are read",
		func(t *testing.T) {
			j := &journal{followers: map[string]domain.Followers{"u1": {Count: 1000, Merged: true}}}
			project(t, j, news, false)
			j.is(t, "the followers were told of p")
		})
	t.Run("again if the deliveries could not be stored", func(t *testing.T) {
		j := &journal{followers: map[string]domain.Followers{"u1": {Count: 1}}, fail: errors.New("no storage")}
		project(t, j, news, false)
		j.is(t, "deliver p to u1 at timelines:small")
	})
	for name, change := range map[string]func(*domain.Post){
		"that are held":          func(p *domain.Post) { p.Held = domain.HeldForReview },
		"that are not listed":    func(p *domain.Post) { p.Status = domain.Unlisted },
		"of suspended authors":   func(p *domain.Post) { p.AuthorSuspended = true },
		"that are in the trash":  func(p *domain.Post) { p.Trashed = time.Now() },
		"that are deleted":       func(p *domain.Post) { p.Deleted = time.Now() },
		"that are no news":       func(p *domain.Post) { p.News = false },
		"that a rebuild handles": func(*domain.Post) {},
	} {
		t.Run("but not of posts "+name, func(t *testing.T) {
			j := &journal{followers: map[string]domain.Followers{"u1": {Count: 1}}}
			post := news
			change(&post)
			project(t, j, post, name == "that a rebuild handles")
			j.is(t)
		})
	}
}
