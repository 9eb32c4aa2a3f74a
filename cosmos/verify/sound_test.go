package verify

import (
	"context"
	"errors"
	"time"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
)

// soundCase is a state that breaks no rule, although most blogs are without it.
type soundCase struct {
	name string
	do   func(ctx context.Context, w *world) error
}

func soundCases() []soundCase {
	return []soundCase{
		{"a blog in its usual state", func(context.Context, *world) error { return nil }},
		{"a name reserved by an unfinished sign-up", func(ctx context.Context, w *world) error {
			return w.reserve(ctx, domain.NewUserID(nil), "carol")
		}},
		{"a name reserved by an unfinished rename", func(ctx context.Context, w *world) error {
			return w.reserve(ctx, w.ada.ID, "lovelace")
		}},
		{"the old name of a renamed user", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.UsersContainer),
				anyItem{"id": "countess", "type": "username", "userId": "countess", "ownerId": w.ada.ID, "ttl": -1})
		}},
		{"a signed-in user with an e-mail address", signInBob},
		{"an address that is being verified", beginEmail},
		{"mails that wait, and one that was sent", deliver},
		{"a name that looks like one that somebody else had before looks counted",
			func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Patch(ctx, schema.SkeletonID("bob"), schema.SkeletonID("bob"),
					set("/ownerId", w.ada.ID))
			}},
		{"pictures, which may be incomplete", addImage},
		{"reports and texts that wait for a moderator", reportPost},
		{"reports that were dismissed", after(reportPost, dismissReports)},
		{"reports on a deleted post", after(reportPost, deletePost)},
		{"a static page", after(addPage, refreshPage)},
		{"a static page without a text", changePages(func(p *siteinfo.Pages) {
			p.List = append(p.List, siteinfo.StaticPage{Path: "/x", PostID: verifiedPage})
		})},
		{"a deleted post", deletePost},
		{"an imported post", importPost},
		{"an imported post that was deleted", after(importPost, deletePost)},
		{"an unlisted post", withdraw(domain.Unlisted)},
		{"an unpublished post", after(draftOfPost, withdraw(domain.Unpublished))},
		{"a former tag of a post", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("rust"))
		}},
		{"a tombstone under the key that a tag had in an earlier release", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.TagsContainer), w.tagTombstone("ışık"))
		}},
		{"a post that was withdrawn, and came back when newer ones filled the feed", after(fillFeed,
			func(ctx context.Context, w *world) error {
				return w.put(ctx, w.Container(schema.FeedContainer), w.feedTombstone())
			})},
		{"a user with a Turkish name", func(ctx context.Context, w *world) error {
			return w.addUser(ctx, "Işık_İpek", names.NameKeys("Işık_İpek")...)
		}},
		{"a database from before there were tags", func(ctx context.Context, w *world) error {
			none := set("/tags", schema.TagNames{})
			if err := errors.Join(w.Container(schema.PostsContainer).Patch(ctx, w.post.ID, w.post.ID, none),
				w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.post.ID, none),
				w.Container(schema.FeedContainer).Patch(ctx, schema.TypePost, w.post.ID, none)); err != nil {
				return err
			}
			_, err := w.Container(schema.TagsContainer).Client.Delete(ctx, nil)
			return err
		}},
		{"a deleted post whose tombstones are gone", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.post.ID)
			}, func(ctx context.Context, w *world) error {
				return w.Container(schema.FeedContainer).Delete(ctx, schema.TypePost, w.post.ID)
			})
		}},
		{"a deleted post whose marker is gone before its tombstones", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deletePost, func(ctx context.Context, w *world) error {
				return w.Container(schema.PostsContainer).Delete(ctx, w.post.ID, w.post.ID)
			})
		}},
		{"a deleted account", deleteAda},
		{"a deleted account whose marker is gone before its posts'", func(ctx context.Context, w *world) error {
			return inTurn(ctx, w, deleteAda, func(ctx context.Context, w *world) error {
				return w.Container(schema.UsersContainer).Delete(ctx, w.ada.ID, w.ada.ID)
			})
		}},
		{"the 101st post, which has no place in the feed", fillFeed},
		{"a lease that is owned", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"owner": "one", "renewed": time.Now()})
		}},
		{"a lease that does not know its container, as they once did not", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"container": ""})
		}},
		{"a lease whose range has been split", func(ctx context.Context, w *world) error {
			return w.setLease(ctx, "posts", anyItem{"continuation": w.continuation("posts", "10", "1F", "", "10")})
		}},
		{"the lease of a rebuild", func(ctx context.Context, w *world) error {
			return w.putLease(ctx, "rebuild.posts", anyItem{})
		}},
		{"measured costs", func(ctx context.Context, w *world) error {
			return w.put(ctx, w.Container(schema.CostsContainer), anyItem{"id": "2026-03-01T00:00:00.000Z~one",
				"type": "costs", "span": "hour", "begin": "2026-03-01T00:00:00.000Z", "instance": "one", "ttl": 60})
		}},
		{"a database from before there were measured costs", func(ctx context.Context, w *world) error {
			_, err := w.Container(schema.CostsContainer).Client.Delete(ctx, nil)
			return err
		}},
		{"a database from before there were dead letters", func(ctx context.Context, w *world) error {
			_, err := w.Container(schema.DeadLettersContainer).Client.Delete(ctx, nil)
			return err
		}},
	}
}
