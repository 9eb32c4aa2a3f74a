package verify

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/domain/plaintext"
)

// openFlatCopies opens a database whose items commit a32b701 wrote. Its copies of posts have the revision and
// the date of the last edit as properties of the item. The file holds the items of all containers but leases,
// without system properties. Its blog: a post that ada edited once and bob liked, answered and bookmarked, a
// second one, an unlisted one, a deleted one, and a draft.
func openFlatCopies(t *testing.T) (*world, domain.Post) {
	t.Helper()
	body, err := os.ReadFile("testdata/flatcopies.json")
	if err != nil {
		t.Fatal(err)
	}
	var items map[string][]anyItem
	if err := json.Unmarshal(body, &items); err != nil {
		t.Fatal(err)
	}
	w := &world{Store: newWorldStore(t)}
	var edited string
	for _, definition := range schema.ContainerDefinitions() {
		key := strings.TrimPrefix(definition.PartitionKeyDefinition.Paths[0], "/")
		for _, item := range items[definition.ID] {
			w.must(t, w.putItem(t.Context(), w.Container(definition.ID), item[key].(string), item))
			if definition.ID == schema.PostsContainer && item["title"] == "Title, edited" {
				edited = item["id"].(string)
			}
		}
	}
	w.must(t, projectRows(t.Context(), w)) // as a rebuild does
	post, err := w.Posts.Get(t.Context(), edited)
	w.must(t, err)
	w.post, w.ada = post, domain.User{ID: post.AuthorID, Username: post.AuthorName}
	return w, post
}

// lists reads the post's copy from every list of the store.
func (w *world) lists(t *testing.T) map[string]domain.Summary {
	t.Helper()
	ctx, found := t.Context(), make(map[string]domain.Summary)
	of := func(name string, page domain.ListPage[domain.Summary], err error) {
		w.must(t, err)
		for _, s := range page.Items {
			if s.PostID == w.post.ID {
				found[name] = s
			}
		}
	}
	page, err := w.UserCopies.PostsOf(ctx, w.ada.ID, 1)
	of("author", page, err)
	page, err = w.Feed.FrontPage(ctx, 1)
	of("feed", page, err)
	page, err = w.Tags.PostsOf(ctx, "go", 1)
	of("tag", page, err)
	return found
}

// listsSay checks the post in all lists, and every rule except those that depend on workers.
func (w *world) listsSay(t *testing.T, want domain.Summary, broken ...rule) {
	t.Helper()
	lists := w.lists(t)
	if len(lists) != 3 {
		t.Errorf("the post stands in %d lists, want 3", len(lists))
	}
	for name, s := range lists {
		if s != want {
			t.Errorf("list %s has\n%+v, want\n%+v", name, s, want)
		}
	}
	w.must(t, listAccounts(t.Context(), w))
	_, err := Verify(t.Context(), w.Database, markdown.New(), func(int) {}, func(v Violation) {
		if !slices.ContainsFunc(broken, func(r rule) bool { return r.String() == v.Rule }) {
			t.Errorf("violation: %s", v)
		}
	})
	w.must(t, err)
}

// copiesOf reads the post's copies as they are stored.
func (w *world) copiesOf(t *testing.T) (items []anyItem) {
	t.Helper()
	for container, partition := range map[string]string{schema.UsersContainer: w.ada.ID,
		schema.FeedContainer: schema.TypePost, schema.TagsContainer: "go"} {
		item, err := client.Read[anyItem](t.Context(), w.Container(container), partition, w.post.ID)
		w.must(t, err)
		items = append(items, item)
	}
	return items
}

func TestUpgradeOfFlatCopies(t *testing.T) {
	renderer := markdown.New()
	project := func(t *testing.T, w *world) domain.Summary {
		t.Helper()
		post, err := w.Posts.Latest(t.Context(), w.post.ID)
		w.must(t, err)
		s := renderer.Summarize(post)
		w.must(t, w.UserCopies.ApplySummary(t.Context(), s))
		w.must(t, w.Tags.ApplySummary(t.Context(), "go", s))
		w.must(t, w.Feed.Apply(t.Context(), []domain.Summary{s}))
		return s
	}
	t.Run("flat copies are read", func(t *testing.T) {
		w, post := openFlatCopies(t)
		if post.Revision != 2 || post.Edited.IsZero() {
			t.Fatalf("revision %d, edited %v", post.Revision, post.Edited)
		}
		want := renderer.Summarize(post)
		want.Length = plaintext.Length{} // which flat copies do not have
		w.listsSay(t, want)
	})
	t.Run("a like and an edit update the copies", func(t *testing.T) {
		w, post := openFlatCopies(t)
		_, err := w.Posts.Like(t.Context(), domain.NewLike(w.ada, post.ID, time.Now()))
		w.must(t, err)
		w.listsSay(t, project(t, w))
		e, err := domain.NewEdit(post.ID, post.Revision, "Again", post.Content, post.Created.Add(time.Hour))
		w.must(t, err)
		e.Tags = post.Tags
		_, err = w.Posts.Edit(t.Context(), e, w.ada.ID)
		w.must(t, err)
		want := project(t, w)
		if want.Revision != 3 || want.LikeCount != 2 {
			t.Errorf("the post is %+v", want)
		}
		w.listsSay(t, want, ruleBookmarks)
	})
	t.Run("processes of both releases lose no data", func(t *testing.T) {
		w, post := openFlatCopies(t)
		_, err := w.Posts.Like(t.Context(), domain.NewLike(w.ada, post.ID, time.Now()))
		w.must(t, err)
		project(t, w) // by the new release
		e, err := domain.NewEdit(post.ID, post.Revision, "Again", post.Content, post.Created.Add(time.Hour))
		w.must(t, err)
		e.Tags = post.Tags
		edited, err := w.Posts.Edit(t.Context(), e, w.ada.ID)
		w.must(t, err)
		s := renderer.Summarize(edited)
		for container, partition := range map[string]string{schema.UsersContainer: w.ada.ID,
			schema.FeedContainer: schema.TypePost, schema.TagsContainer: "go"} {
			var ops azcosmos.PatchOperations // those of commit a32b701
			ops.AppendSet("/userUsername", s.AuthorName)
			ops.AppendSet("/userDisplayName", s.AuthorDisplayName)
			ops.AppendSet("/title", s.Title)
			ops.AppendSet("/content", s.Text)
			ops.AppendSet("/version", s.Version)
			ops.AppendSet("/commentCount", s.CommentCount)
			ops.AppendSet("/likeCount", s.LikeCount)
			ops.AppendSet("/tags", s.Tags.List())
			ops.AppendSet("/editDate", schema.Instant(s.Edited))
			ops.AppendSet("/revision", s.Revision)
			w.must(t, w.Container(container).Patch(t.Context(), partition, post.ID, ops))
		}
		w.listsSay(t, s, ruleBookmarks)
		_, err = w.Posts.Unlike(t.Context(), post.ID, w.ada.ID)
		w.must(t, err)
		w.listsSay(t, project(t, w), ruleBookmarks) // by the new release again
	})
	t.Run("a rebuild rewrites every copy in the current form", func(t *testing.T) {
		w, post := openFlatCopies(t)
		source := func(context.Context) (domain.Summary, error) { return renderer.Summarize(post), nil }
		w.must(t, w.UserCopies.RewriteSummary(t.Context(), w.ada.ID, post.ID, source))
		w.must(t, w.Tags.RewriteSummary(t.Context(), "go", post.ID, source))
		w.must(t, w.Feed.Repair(t.Context(), renderer))
		for _, item := range w.copiesOf(t) {
			if _, flat := item["revision"]; flat || item["details"] == nil {
				t.Errorf("a copy is still %v", item)
			}
		}
		w.listsSay(t, renderer.Summarize(post))
	})
}
