package cosmos

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// accountRequests lists the requests of the pages about accounts, moderation and administration.
func accountRequests() []pageRequest {
	credentials := pageCall{"the user's credentials", 1, func(ctx context.Context, b *pagesBlog) error {
		_, err := b.Credentials.Get(ctx, b.author.ID)
		return err
	}}
	return []pageRequest{
		{"/settings/security", []pageCall{credentials}},
		{"/settings/email", []pageCall{credentials}},
		{"/settings/sessions", []pageCall{{"the user's sessions", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Sessions.List(ctx, b.author.ID)
			return atLeast(len(list), 5, err)
		}}}},
		{"/settings/blocks", []pageCall{{"whom the user has blocked, here five, and their names", 6,
			func(ctx context.Context, b *pagesBlog) error {
				list, err := b.Blocks.List(ctx, b.author.ID, 1)
				return atLeast(len(list.Items), 5, err)
			}}}},
		{"/moderation", []pageCall{{"what waits for a decision", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Reports.Open(ctx, domain.NewestReports, 1)
			return atLeast(len(list.Items), 10, err)
		}}, {"the number of open reports", 1, func(ctx context.Context, b *pagesBlog) error {
			n, err := b.Reports.CountOpen(ctx, domain.MaxCountedWaiting)
			return atLeast(n, 10, err)
		}}, {"how much waits for a review", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Reviews.Count(ctx, domain.MaxCountedWaiting)
			return err
		}}}},
		{"/admin/users", []pageCall{{"50 accounts", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.AccountRows.List(ctx, domain.AccountFilter{}, "")
			return atLeast(len(list.Items), domain.AccountsPerPage, err)
		}}}},
		{"searching for a part of a name", []pageCall{{"the accounts", 1, func(ctx context.Context,
			b *pagesBlog) error {
			list, err := b.AccountRows.List(ctx, domain.AccountFilter{Text: "follower-1"}, "")
			return atLeast(len(list.Items), 10, err)
		}}, {"the account with this username", 2, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Users.AccountByName(ctx, b.author.Username)
			return err
		}}}},
		{"/admin/users?name={username}", []pageCall{{"the account by name", 2, func(ctx context.Context,
			b *pagesBlog) error {
			_, err := b.Users.AccountByName(ctx, b.author.Username)
			return err
		}}, {"the numbers of posts and drafts", 2, func(ctx context.Context, b *pagesBlog) error {
			posts, _, err := b.Users.CountPosts(ctx, b.author.ID)
			return atLeast(posts, domain.PostsPerPage, err)
		}}}},
		{"/admin/comments", []pageCall{{"50 comments of the site", 1, func(ctx context.Context, b *pagesBlog) error {
			list, _, err := b.CommentRows.List(ctx, domain.CommentShown, "")
			return atLeast(len(list), domain.CommentRowsPerPage, err)
		}}}},
		{"/admin/invitations", []pageCall{{"the invitations", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Invitations.List(ctx)
			return atLeast(len(list), 5, err)
		}}}},
		{"/admin/addresses", []pageCall{{"users who have imported", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Redirects.ListRequests(ctx, 1)
			return err
		}}, {"their names", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Users.Authors(ctx, []string{b.author.ID})
			return err
		}}}},
		{"additionally for a user", []pageCall{{"the requests", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Redirects.Requests(ctx, b.author.ID)
			return err
		}}, {"the records of the user's imports", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Redirects.Named(ctx, b.author.ID)
			return err
		}}}},
		{"a static page", []pageCall{{"its text", 1, func(ctx context.Context, b *pagesBlog) error {
			_, err := b.Posts.Latest(ctx, staticPageID)
			return err
		}}}},
		{"/admin/pages", []pageCall{{"the list of static pages", 1, func(ctx context.Context, b *pagesBlog) error {
			pages, err := b.Pages.Get(ctx)
			return atLeast(len(pages.List), 5, err)
		}}, {"their drafts", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Drafts.List(ctx, domain.SiteUserID, 1)
			return atLeast(len(list.Items), 2, err)
		}}}},
		{"/admin/log", []pageCall{{"a month's entries", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Audit.List(ctx, auditMonth, 1)
			return atLeast(len(list.Items), 20, err)
		}}}},
		{"/admin/deliveries", []pageCall{{"the destinations", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Deliveries.Destinations(ctx)
			return atLeast(len(list), 20, err)
		}}}},
		{"additionally for each destination", []pageCall{
			{"the numbers of deliveries: fresh, to be repeated and dropped", 3, func(ctx context.Context,
				b *pagesBlog) error {
				n, err := b.Deliveries.Count(ctx, domain.Destination{Name: failingDestination, Due: time.Now()})
				return atLeast(n.Repeated, 20, err)
			}}}},
		{"/admin/deliveries/{destination}", []pageCall{{"the destination", 1, func(ctx context.Context,
			b *pagesBlog) error {
			_, err := b.Deliveries.Destination(ctx, failingDestination)
			return err
		}}, {"failed deliveries", 1, func(ctx context.Context, b *pagesBlog) error {
			list, err := b.Deliveries.List(ctx, failingDestination, 1)
			return atLeast(len(list.Items), 20, err)
		}}}},
	}
}

// failingDestination has deliveries that have failed.
const failingDestination = "mail:00"

var auditMonth = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

const staticPageID = "p.aaaaaaaaaaaaaaaaaaaaaaaaaa"

// withStaticPages creates five static pages and two drafts of them.
func (b *pagesBlog) withStaticPages(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	for n := range 5 {
		entry := siteinfo.StaticPage{PostID: staticPageID, Path: fmt.Sprintf("/page-%d", n), Footer: true}
		if n > 0 {
			entry.PostID = domain.NewPageID()
		}
		post, err := b.Drafts.Publish(ctx, domain.SiteUser(), domain.Draft{PostID: entry.PostID, Title: "A page",
			Content: strings.Repeat("Some words. ", 100)}, auditMonth)
		if err != nil {
			t.Fatal(err)
		}
		if n < 2 {
			if _, err := b.Drafts.Save(ctx, domain.DraftOf(post, auditMonth)); err != nil {
				t.Fatal(err)
			}
		}
		_, err = b.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
			pages, err := domain.PutPage(pages, entry)
			return domain.RefreshPage(pages, post), err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// withAccounts creates the items that accountRequests read.
func (b *pagesBlog) withAccounts(t *testing.T) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, now := t.Context(), time.Now()
	b.withStaticPages(t)
	for n := range 5 {
		must(b.Sessions.Create(ctx, domain.Session{ID: domain.SecretDigest(fmt.Sprint(n)), UserID: b.author.ID,
			Device:  "Firefox on Windows",
			Created: now, LastUsed: now.Add(time.Duration(n) * time.Minute), Confirmed: now}))
		blocked, err := domain.NewUser(fmt.Sprint("reader-", n), now)
		must(err)
		must(b.Accounts.Create(ctx, blocked, "hash"))
		must(b.Blocks.Block(ctx, b.author.ID, blocked.ID, now))
		invitation, err := domain.NewInvitation(b.author, 5, 7, "For the readers of the newsletter", now)
		must(err)
		must(b.Invitations.Create(ctx, invitation))
	}
	for n := range 20 {
		d := domain.Delivery{ID: domain.NewID(), Destination: failingDestination, Kind: domain.DeliverMail,
			Created: now, Expires: now.Add(time.Hour), Sealed: make([]byte, 1000)}
		failed, other := d, d
		other.Destination = fmt.Sprintf("mail:%02d", n)
		other.ID = domain.NewID()
		must(b.Deliveries.Put(ctx, failed, other))
		failed.Attempts, failed.Next, failed.Answer = 1, now.Add(time.Minute), "451 4.7.1 Greylisted, try again later"
		must(b.Deliveries.Retry(ctx, failed))
	}
	for range 10 {
		report, err := domain.NewReport(domain.User{ID: domain.NewUserID(nil), Username: "reader"},
			string(domain.ReasonOther), strings.Repeat("What is wrong. ", 10), now)
		must(err)
		_, err = b.Reports.Report(ctx, domain.Target{PostID: b.post.ID, CommentID: domain.NewID()}, report, time.Time{})
		must(err)
	}
	for n := range 20 {
		entry := domain.NewAuditEntry(b.author, domain.AuditSuspend,
			auditMonth.Add(time.Duration(n)*time.Hour)).About(b.author)
		entry.Reason = "Advertising, again and again."
		must(b.Audit.Record(ctx, entry))
	}
}

// withAccountRows lists all accounts.
func (b *pagesBlog) withAccountRows(t *testing.T) {
	t.Helper()
	err := b.Users.EachAccount(t.Context(), func(u domain.User) error { return b.AccountRows.Put(t.Context(), u) })
	if err != nil {
		t.Fatal(err)
	}
}
