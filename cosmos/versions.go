package cosmos

import (
	"context"
	"time"

	"inkfeed/domain"
)

// versionItem is a past state of a post, in the post's partition. It is written in the
// transaction of the edit that replaces it, so none is missing. It names no author: that
// is the post's, and a change of the author's name has nothing to do with it.
type versionItem struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"`
	PostID       string   `json:"postId"`
	Title        string   `json:"title"`
	Content      string   `json:"content"`
	Tags         tagNames `json:"tags"`
	CreationDate instant  `json:"creationDate"`
	Revision     int      `json:"revision"`
}

func versionItemOf(v domain.PostVersion) versionItem {
	return versionItem{ID: versionID(v.Revision), Type: typeVersion, PostID: v.PostID, Title: v.Title,
		Content: v.Content, Tags: tagNames(v.Tags.List()), CreationDate: instant(v.Saved), Revision: v.Revision}
}

func (i versionItem) domain() domain.PostVersion {
	return domain.PostVersion{PostID: i.PostID, Revision: i.Revision, Title: i.Title, Content: i.Content,
		Tags: i.Tags.domain(), Saved: time.Time(i.CreationDate)}
}

// Versions is one page of a post's past versions, the newest first. Of their text it
// has the beginning only. Whether the reader may see them is the caller's question: they
// are for the author.
func (p *Posts) Versions(ctx context.Context, postID string, page int) (domain.Page[domain.PostVersion], error) {
	rows, err := query[versionItem](operation(ctx, "versions"), p.c, postID,
		`SELECT c.postId, c.title, LEFT(c.content, 1000) AS content, c.tags, c.creationDate, c.revision
		 FROM c WHERE c.postId = @post AND c.type = 'version'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		pageOf(page, domain.VersionsPerPage, parameters{"post": postID}))
	versions := make([]domain.PostVersion, len(rows))
	for i, row := range rows {
		versions[i] = row.domain()
	}
	return domain.Cut(versions, page, domain.VersionsPerPage), translate(err)
}

// Version reads a past version of a post: one point read. The present one is the post
// itself, and not found here.
func (p *Posts) Version(ctx context.Context, postID string, revision int) (domain.PostVersion, error) {
	none := domain.Errorf(domain.NotFound, "There is no such version of the post.")
	if !domain.IsID(postID) || revision < 1 {
		return domain.PostVersion{}, none
	}
	item, err := read[versionItem](operation(ctx, "version"), p.c, postID, versionID(revision))
	if missing(err) {
		return domain.PostVersion{}, none
	}
	return item.domain(), translate(err)
}
