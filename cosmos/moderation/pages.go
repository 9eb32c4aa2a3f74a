package moderation

import (
	"context"
	"net/http"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
)

// Pages stores the list of static pages in one item, so that two pages never have the same path. The item is missing
// until the first page is added. The texts of the pages are in the container posts.
type Pages struct{ c *client.Container }

// NewPages returns the static pages of a database.
func NewPages(db *client.Database) *Pages { return &Pages{c: db.Container(schema.ModerationContainer)} }

type pagesItem struct {
	ID      string                `json:"id"`
	Type    string                `json:"type"`
	Queue   string                `json:"queue"`
	Pages   []siteinfo.StaticPage `json:"pages"`
	Former  []siteinfo.FormerPath `json:"former,omitempty"`
	Version int                   `json:"version"`
	ETag    string                `json:"_etag,omitempty"`
}

func (i pagesItem) domain() siteinfo.Pages {
	return siteinfo.Pages{List: i.Pages, Former: i.Former, Version: i.Version}
}

// Get reads the list of static pages with one point read.
func (p *Pages) Get(ctx context.Context) (siteinfo.Pages, error) {
	item, err := p.read(client.Reads("static-pages").In(ctx))
	return item.domain(), err
}

func (p *Pages) read(ctx context.Context) (pagesItem, error) {
	item, err := client.Read[pagesItem](ctx, p.c, schema.SettingsQueue, schema.PagesID)
	if client.Missing(err) {
		return pagesItem{}, nil
	}
	return item, client.Translate(err)
}

// Change applies a change to the list, and returns the list after it. If another change comes first, the change is
// applied to its result. A change that an earlier attempt of this call has stored is not applied again. A change that
// changes nothing writes nothing. An error of change is returned as it is.
func (p *Pages) Change(ctx context.Context,
	change func(siteinfo.Pages) (siteinfo.Pages, error)) (siteinfo.Pages, error) {
	ctx = client.Writes("set-static-pages").In(ctx)
	var sent siteinfo.Pages // by the last attempt
	return client.RewriteReturning(ctx, func() (siteinfo.Pages, error) {
		stored, err := p.read(ctx)
		if err != nil {
			return siteinfo.Pages{}, err
		}
		before := stored.domain()
		if sent.Version > 0 && before.Equal(sent) {
			return sent, nil
		}
		after, err := change(before)
		if err != nil || after.Equal(before) {
			return before, err
		}
		after.Version = before.Version + 1
		item := pagesItem{ID: schema.PagesID, Type: schema.TypePages, Queue: schema.SettingsQueue, Pages: after.List,
			Former: after.Former, Version: after.Version}
		if before.Version == 0 {
			err = p.c.Create(ctx, schema.SettingsQueue, item)
		} else {
			err = p.c.Replace(ctx, schema.SettingsQueue, schema.PagesID, stored.ETag, item)
		}
		sent = after
		status := client.StatusOf(err)
		return after, client.AgainIf(status == http.StatusConflict || status == http.StatusPreconditionFailed,
			client.Translate(err))
	})
}

// Refresh updates what the list says about the text of a page, after the text has changed. Repeating it changes
// nothing.
func (p *Pages) Refresh(ctx context.Context, text domain.Post) (siteinfo.Pages, error) {
	return p.Change(ctx, func(pages siteinfo.Pages) (siteinfo.Pages, error) {
		return domain.RefreshPage(pages, text), nil
	})
}
