package posts

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// versionItem is a past state of a post, in the post's partition. It is written in the
// transaction of the edit that replaces it, so none is missing. It names no author: that
// is the post's, and a change of the author's name has nothing to do with it.
type versionItem struct {
	ID           string          `json:"id"`
	Type         string          `json:"type"`
	PostID       string          `json:"postId"`
	Title        string          `json:"title"`
	Content      string          `json:"content"`
	Tags         schema.TagNames `json:"tags"`
	Details      domain.Details  `json:"details,omitzero"`
	CreationDate schema.Instant  `json:"creationDate"`
	Revision     int             `json:"revision"`
}

func VersionItemOf(v domain.PostVersion) versionItem {
	return versionItem{
		ID:           schema.VersionID(v.Revision),
		Type:         schema.TypeVersion,
		PostID:       v.PostID,
		Title:        v.Title,
		Content:      v.Content,
		Tags:         schema.TagNames(v.Tags.List()),
		Details:      v.Details,
		CreationDate: schema.Instant(v.Saved),
		Revision:     v.Revision,
	}
}

func (i versionItem) domain() domain.PostVersion {
	return domain.PostVersion{PostID: i.PostID, Revision: i.Revision, Title: i.Title, Content: i.Content,
		Tags: i.Tags.Domain(), Details: i.Details, Saved: time.Time(i.CreationDate)}
}

// Versions is one page of a post's past versions, the newest first. Of their text it
// has the beginning only. Whether the reader may see them is the caller's question: they
// are for the author.
func (p *Posts) Versions(ctx context.Context, postID string, page int) (domain.Page[domain.PostVersion], error) {
	rows, err := client.Query[versionItem](client.Operation(ctx, "versions"), p.c, postID,
		`SELECT c.postId, c.title, LEFT(c.content, 1000) AS content, c.tags, c.details, c.creationDate, c.revision
		 FROM c WHERE c.postId = @post AND c.type = 'version'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.VersionsPerPage, client.Parameters{"post": postID}))
	versions := make([]domain.PostVersion, len(rows))
	for i, row := range rows {
		versions[i] = row.domain()
	}
	return domain.Cut(versions, page, domain.VersionsPerPage), client.Translate(err)
}

// Version reads a past version of a post: one point read. The present one is the post
// itself, and not found here.
func (p *Posts) Version(ctx context.Context, postID string, revision int) (domain.PostVersion, error) {
	none := domain.Errorf(domain.NotFound, "There is no such version of the post.")
	if !domain.IsID(postID) || revision < 1 {
		return domain.PostVersion{}, none
	}
	item, err := client.Read[versionItem](client.Operation(ctx, "version"), p.c, postID, schema.VersionID(revision))
	if client.Missing(err) {
		return domain.PostVersion{}, none
	}
	return item.domain(), client.Translate(err)
}
