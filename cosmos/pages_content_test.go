package cosmos

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// contentRequests lists the requests about static pages, pinned posts, header pictures and the pictures of the site, in
// the order of docs/request-costs.md.
func contentRequests() []contentRequest {
	setLogo := func(ctx context.Context, b *pagesBlog, n int) (content domain.SitePicture, err error) {
		// A picture of 20 KB, as the program makes of a photograph.
		content = domain.NewSitePicture(bytes.Repeat([]byte{byte(n)}, 20_000))
		settings, err := b.Settings.Get(ctx)
		if err != nil {
			return content, err
		}
		settings.NewRole = domain.RoleAuthor
		settings.Info.Logo = siteinfo.Picture{Hash: content.Hash, Width: 400, Height: 100}
		_, err = b.Settings.Set(ctx, settings, content)
		return content, err
	}
	return []contentRequest{
		{"show a static page", "point read of its text", 1, func(ctx context.Context, b *pagesBlog, _ int) error {
			_, err := b.Posts.Latest(ctx, staticPageID)
			return err
		}},
		{"publish a new text of a static page",
			"look for a draft; read and write the text; read and replace the list, which has the title", 5,
			func(ctx context.Context, b *pagesBlog, n int) error {
				d, _, err := b.Drafts.Open(context.Background(), domain.SiteUserID, staticPageID) // not counted
				if err != nil {
					return err
				}
				d.Title = fmt.Sprint("A page with another title ", n)
				post, err := b.Drafts.Publish(ctx, domain.SiteUser(), d, auditMonth.Add(time.Duration(n)*time.Hour))
				if err != nil {
					return err
				}
				_, err = b.Pages.Refresh(ctx, post)
				return err
			}},
		{"add a static page, or change its address or place", "read and replace the list", 2,
			func(ctx context.Context, b *pagesBlog, n int) error {
				_, err := b.Pages.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
					return domain.PutPage(pages, siteinfo.StaticPage{PostID: staticPageID,
						Path: fmt.Sprint("/another-", n), Footer: true})
				})
				return err
			}},
		{"pin a post", "read and patch the user", 2, func(ctx context.Context, b *pagesBlog, n int) error {
			return b.Profiles.Pin(ctx, b.author.ID, pinnedID(n), nil)
		}},
		{"unpin a post", "read and patch the user", 2, func(ctx context.Context, b *pagesBlog, n int) error {
			return b.Profiles.Unpin(ctx, b.author.ID, pinnedID(n))
		}},
		{"change the header picture", "batch: the user and the picture's record", 1,
			func(ctx context.Context, b *pagesBlog, n int) error {
				return b.Profiles.SetHeader(ctx, b.author.ID,
					domain.Cover{Image: domain.NewImageName(b.author.ID, []byte{byte(n)}, 1600, 1200, "jpg")})
			}},
		{"remove the header picture", "patch of the user", 1, func(ctx context.Context, b *pagesBlog, _ int) error {
			return b.Profiles.SetHeader(ctx, b.author.ID, domain.Cover{})
		}},
		{"change the logo, a picture of 20 KB", "read the settings twice; batch: settings, new and former picture", 3,
			func(ctx context.Context, b *pagesBlog, n int) error {
				_, err := setLogo(ctx, b, n)
				return err
			}},
		{"show a brand picture", "point read of its content", 1, func(ctx context.Context, b *pagesBlog, n int) error {
			_, err := b.Settings.Picture(ctx, domain.NewSitePicture(bytes.Repeat([]byte{byte(n)}, 20_000)).Hash)
			return err
		}},
	}
}

// pinnedID returns the ID of a post. Pinning does not read the post.
func pinnedID(n int) string { return strings.Repeat("p", 25) + string(rune('a'+n)) }

// contentRequest is a request with its operations in words and their number. do gets a different number each time.
type contentRequest struct {
	what, operations string
	requests         int
	do               func(ctx context.Context, b *pagesBlog, n int) error
}

// checkContentCosts compares the costs of contentRequests with docs/request-costs.md.
func (b *pagesBlog) checkContentCosts(t *testing.T) {
	t.Helper()
	var table strings.Builder
	table.WriteString("| | operations | requests | RU |\n| --- | --- | ---: | ---: |\n")
	for _, r := range contentRequests() {
		var usage *client.Usage
		for n := range 2 { // the first one also creates what the second one changes
			var ctx context.Context
			ctx, usage = client.WithUsage(t.Context())
			if err := r.do(ctx, b, n); err != nil {
				t.Fatalf("%s: %v", r.what, err)
			}
		}
		if usage.Requests() != r.requests {
			t.Errorf("%s takes %d requests, want %d", r.what, usage.Requests(), r.requests)
		}
		fmt.Fprintf(&table, "| %s | %s | %d | %.2f |\n", r.what, r.operations, usage.Requests(), usage.Charge())
	}
	checkSection(t, costsDocument, "content", table.String())
}
