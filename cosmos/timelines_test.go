package cosmos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/embedded"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// fullEntry is a copy of a post in a timeline, in the model with full copies.
type fullEntry struct {
	copies.PostCopy
	UserID   string       `json:"userId"`
	AuthorID string       `json:"authorId"`
	Place    domain.Place `json:"place"`
	TTL      int          `json:"ttl"`
}

// timelineWorld has one reader, the posts of authors whom the reader follows, and the reader's timeline in both models.
type timelineWorld struct {
	*Store
	reader, other string // other has the timeline with full copies
	posts         []domain.Summary
}

const timelineAuthors, timelinePosts = 50, 10

func newTimelineWorld(t *testing.T) *timelineWorld {
	w := &timelineWorld{Store: openStore(t, newEngine(t, embedded.Options{}), Options{}), reader: domain.NewUserID(nil),
		other: domain.NewUserID(nil)}
	begin := domain.Timestamp(time.Now().Add(-24 * time.Hour))
	for author := range timelineAuthors {
		id := domain.NewUserID(nil)
		for n := range timelinePosts {
			p := domain.Summary{PostID: domain.NewID(), AuthorID: id, AuthorName: fmt.Sprint("author", author),
				AuthorDisplayName: "An Author", Title: "A title of usual length",
				Text: strings.Repeat("A few words. ", 20), Tags: "Go,Databases", CommentCount: 3, LikeCount: 17,
				Revision: 1, Version: 21,
				Created: begin.Add(time.Duration(n*timelineAuthors+author) * time.Minute)}
			w.posts = append(w.posts, p)
			check(t, w.UserCopies.ApplySummary(t.Context(), p))
			check(t, w.Follows.AddEntry(t.Context(), []string{w.reader}, entryOf(p)))
			check(t, w.timelines().Create(t.Context(), w.other, w.full(p)))
		}
	}
	return w
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *timelineWorld) timelines() *client.Container { return w.Container(schema.TimelinesContainer) }

func entryOf(p domain.Summary) domain.TimelineEntry {
	return domain.TimelineEntry{Source: domain.AuthorSource(p.AuthorID), PostID: p.PostID, AuthorID: p.AuthorID,
		Created: p.Created}
}

func (w *timelineWorld) full(p domain.Summary) fullEntry {
	return fullEntry{copies.PostCopyOf(p), w.other, p.AuthorID, domain.PlaceOf(p.Created, p.PostID), 1 << 20}
}

// TestTimelineModels measures what the alternatives of docs/data-model.md cost.
func TestTimelineModels(t *testing.T) {
	w := newTimelineWorld(t)
	cost := func(request func(ctx context.Context) error) (charge float64, requests int) {
		t.Helper()
		check(t, request(t.Context())) // also fills the SDK's caches
		ctx, usage := client.WithUsage(t.Context())
		check(t, request(ctx))
		return usage.Charge(), usage.Requests()
	}
	page := func(user string) func(context.Context) error {
		return func(ctx context.Context) error {
			rows, err := client.Query[fullEntry](client.Reads("measure").In(ctx), w.timelines(), user,
				`SELECT TOP 20 * FROM c ORDER BY c.place DESC`, nil)
			return atLeast(len(rows), 20, err)
		}
	}
	references := func(ctx context.Context) error {
		t, err := w.Follows.Timeline(ctx, w.reader, "", domain.TimelinePerPage+1)
		return atLeast(len(t.Entries), domain.TimelinePerPage, err)
	}
	many := func(ctx context.Context) error {
		if err := references(ctx); err != nil {
			return err
		}
		var identities []azcosmos.ItemIdentity
		for _, p := range w.posts[:domain.TimelinePerPage] {
			identities = append(identities, client.Identity(p.AuthorID, p.PostID))
		}
		found, err := client.ReadMany[copies.PostCopy](client.Reads("measure").In(ctx),
			w.Container(schema.UsersContainer), identities)
		return atLeast(len(found), domain.TimelinePerPage, err)
	}
	author := func(ctx context.Context) error {
		list, err := w.UserCopies.PostsAfter(ctx, w.posts[0].AuthorID, "", domain.TimelinePerPage+1)
		return atLeast(len(list), timelinePosts, err)
	}
	fresh := func() domain.Summary {
		p := w.posts[0]
		p.PostID = domain.NewID()
		return p
	}
	like := func(ctx context.Context) error {
		var ops azcosmos.PatchOperations
		ops.AppendIncrement("/likeCount", 1)
		ops.AppendIncrement("/version", 1)
		return w.timelines().Patch(client.Writes("measure").In(ctx), w.other, w.posts[0].PostID, ops)
	}
	charge := func(request func(ctx context.Context) error) float64 { c, _ := cost(request); return c }
	full, fullRequests := cost(page(w.other))
	read, readRequests := cost(references)
	completed, _ := cost(many)
	merged := charge(author)
	writeFull := charge(func(ctx context.Context) error {
		return w.timelines().Create(client.Writes("measure").In(ctx), w.other, w.full(fresh()))
	})
	write := charge(func(ctx context.Context) error {
		return w.Follows.AddEntry(ctx, []string{w.reader}, entryOf(fresh()))
	})
	likeFull := charge(like)
	if read > 8 || readRequests != 1 || fullRequests != 1 {
		t.Errorf("a page of references costs %.2f RU in %d requests, one of copies %.2f RU in %d", read,
			readRequests, full, fullRequests)
	}
	var b strings.Builder
	row := func(cells ...any) {
		b.WriteString("|")
		for _, c := range cells {
			if f, ok := c.(float64); ok {
				c = fmt.Sprintf("%.1f", f)
			}
			fmt.Fprintf(&b, " %v |", c)
		}
		b.WriteString("\n")
	}
	row("", "no timeline: merge 50 authors", "full copies", "references, `ReadMany`", "references, own index")
	b.WriteString("| --- | ---: | ---: | ---: | ---: |\n")
	row("a page of 20 posts", 50*merged, full, completed, read)
	row("the same with 500 followed authors", 500*merged, full, completed, read)
	row("a new post, for each follower", 0., writeFull, write, write)
	row("a like or comment, for each follower", 0., likeFull, 0., 0.)
	row("an edit, a new name or a suspension, for each post and follower", 0., likeFull, 0., 0.)
	checkSection(t, "../docs/data-model.md", "timelines", b.String())
	b.Reset()
	row("followers", "fan-out", "merged, shared", "merged, alone", "fan-out", "merged, shared", "merged, alone")
	b.WriteString("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for followers := 100.; followers <= 1e6; followers *= 10 {
		cells := []any{thousands(int(followers))}
		for _, day := range []struct{ posts, reads float64 }{{1, 20}, {10, 1}} {
			changes := min(day.posts*(1+followers/50), pollsADay) // each post is liked by one follower in fifty
			cells = append(cells, thousands(int(followers*day.posts*write)),
				thousands(int(merged*min(followers*day.reads, timelineServers*changes))),
				thousands(int(merged*followers*day.reads)))
		}
		row(cells...)
	}
	b.WriteString("\n```mermaid\nxychart-beta\n    title \"RU a day for each of 10,000 followers, twenty readings\"\n" +
		"    x-axis \"posts a day\" [1, 5, 10, 15, 20, 25]\n    y-axis \"RU\" 0 --> 160\n")
	fan, shared, alone := make([]string, 0, 6), make([]string, 0, 6), make([]string, 0, 6)
	for _, posts := range []float64{1, 5, 10, 15, 20, 25} {
		changes := posts * (1 + 10_000./50)
		fan = append(fan, fmt.Sprintf("%.1f", posts*write))
		shared = append(shared, fmt.Sprintf("%.1f", merged*timelineServers*changes/10_000))
		alone = append(alone, fmt.Sprintf("%.1f", merged*20))
	}
	for name, line := range [...][]string{fan, shared, alone} {
		fmt.Fprintf(&b, "    line \"%s\" [%s]\n", [...]string{"fan-out", "merged, shared", "merged, alone"}[name],
			strings.Join(line, ", "))
	}
	b.WriteString("```\n")
	checkSection(t, "../docs/data-model.md", "threshold", b.String())
}

// The threshold is computed for so many servers, each of which reads the list of an author again at most at each poll.
const (
	timelineServers = 4
	pollsADay       = 2 * 86400
)
