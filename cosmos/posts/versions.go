package posts

import (
	"context"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// versionItem is a past state of a post, stored in the post's partition. The transaction of the edit that replaces
// the state writes the version, so none is missing. It has no author, since the post has one. A rename therefore
// leaves versions unchanged.
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

// VersionItemOf returns the stored form of a past version.
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

// Versions returns one page of a post's past versions, the newest first, with the first 1000 characters of their
// text. The caller checks that the viewer is the author.
func (p *Posts) Versions(ctx context.Context, postID string, page int) (domain.ListPage[domain.PostVersion], error) {
	rows, err := client.Query[versionItem](client.Reads("versions").In(ctx), p.c, postID,
		`SELECT c.postId, c.title, LEFT(c.content, 1000) AS content, c.tags, c.details, c.creationDate, c.revision
		 FROM c WHERE c.postId = @post AND c.type = 'version'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.VersionsPerPage, client.Parameters{"post": postID}))
	versions := client.Convert(rows, versionItem.domain)
	return domain.Cut(versions, page, domain.VersionsPerPage), client.Translate(err)
}

// Version reads a past version of a post with one point read. It returns NotFound for the current version, which
// is the post itself.
func (p *Posts) Version(ctx context.Context, postID string, revision int) (domain.PostVersion, error) {
	none := domain.NewError(domain.NotFound, "There is no such version of the post.")
	if !domain.IsTextID(postID) || revision < 1 {
		return domain.PostVersion{}, none
	}
	item, err := client.Read[versionItem](client.Reads("version").In(ctx), p.c, postID, schema.VersionID(revision))
	if client.Missing(err) {
		return domain.PostVersion{}, none
	}
	return item.domain(), client.Translate(err)
}
