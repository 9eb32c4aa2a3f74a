package cosmos

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// authored is what is needed to rename the author of an item of posts.
type authored struct {
	ID     string `json:"id"`
	PostID string `json:"postId"`
	Type   string `json:"type"`
}

// SpreadName writes a user's new name to every post, comment and like of the
// user that has another: a query over all partitions, then one transaction for
// each post concerned. It returns how many items it changed, and can be
// repeated after a failure at any point.
func (p *Posts) SpreadName(ctx context.Context, userID, username string) (int, error) {
	ctx = operation(ctx, "spread-name")
	changed := 0
	byPost := make(map[string][]authored)
	err := scan(ctx, p.c,
		`SELECT c.id, c.postId, c.type FROM c WHERE c.userId = @user AND c.userUsername != @name`,
		parameters{"user": userID, "name": username},
		func(item authored) error {
			byPost[item.PostID] = append(byPost[item.PostID], item)
			return nil
		})
	if err != nil {
		return 0, translate(err)
	}
	for postID, items := range byPost {
		for len(items) > 0 {
			n := min(len(items), maxBatch)
			done, err := p.nameAuthors(ctx, postID, items[:n], username)
			changed += done
			if err != nil {
				return changed, translate(err)
			}
			items = items[n:]
		}
	}
	return changed, nil
}

// SetAuthorName corrects the author's name on one item: the post itself, or a
// comment or like of it. An item that is gone is no error.
func (p *Posts) SetAuthorName(ctx context.Context, postID, itemID, username string) error {
	_, err := p.nameAuthors(operation(ctx, "spread-name"), postID,
		[]authored{{ID: itemID, PostID: postID}}, username)
	return translate(err)
}

func (p *Posts) nameAuthors(ctx context.Context, postID string, items []authored, username string) (int, error) {
	batch := p.c.batch(postID)
	for _, item := range items {
		batch.PatchItem(item.ID, naming(item, username), nil)
	}
	_, err := p.c.execute(ctx, batch, false)
	if statusOf(err) != http.StatusNotFound {
		if err != nil {
			return 0, err
		}
		return len(items), nil
	}
	if len(items) == 1 {
		return 0, nil // a like was taken back
	}
	// Some are gone: the others still need their name.
	changed := 0
	for _, item := range items {
		n, err := p.nameAuthors(ctx, postID, []authored{item}, username)
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

func naming(item authored, username string) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/userUsername", username)
	if item.ID == item.PostID { // the post itself, whose copies follow its version
		ops.AppendIncrement("/version", 1)
	}
	return ops
}
