package cosmos

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"
)

// storedItem has the properties of every shape in users, posts and feed that the
// rules are about. It is Verify's own reading of the items: those that write them
// have other types, which may be wrong in their own way.
type storedItem struct {
	ID            string `json:"id"`
	Type          string `json:"type"`
	UserID        string `json:"userId"`
	PostID        string `json:"postId"`
	OwnerID       string `json:"ownerId"`
	Username      string `json:"username"`
	UserUsername  string `json:"userUsername"`
	Title         string `json:"title"`
	Content       string `json:"content"`
	NameVersion   int    `json:"nameVersion"`
	SpreadVersion int    `json:"spreadVersion"`
	CommentCount  int    `json:"commentCount"`
	LikeCount     int    `json:"likeCount"`
	Version       int    `json:"version"`
	CreationDate  date   `json:"creationDate"`
	DeletionDate  *date  `json:"deletionDate"`
	Erased        bool   `json:"erased"`
	Refill        bool   `json:"refill"`
	TTL           int    `json:"ttl"`
}

func (i storedItem) deleted() bool { return i.DeletionDate != nil }

// expires reports whether the item goes away by itself.
func (i storedItem) expires() bool { return i.TTL > 0 }

// text reports whether the item holds anything that a person wrote.
func (i storedItem) text() bool { return i.Title != "" || i.Content != "" || i.UserUsername != "" }

// date is an instant as it must be stored: of that width alone do texts sort as
// times.
type date time.Time

func (d *date) UnmarshalText(text []byte) error {
	t, err := time.Parse(instantLayout, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a date of the form %s", text, instantLayout)
	}
	*d = date(t)
	return nil
}

// What is read of each container. A query without a filter costs the least by
// far: every item is met once, in the order in which they lie.
const (
	// A password's hash stays where it is.
	usersQuery = `SELECT c.id, c.type, c.userId, c.postId, c.ownerId, c.username, c.userUsername, c.title, c.content,
		c.nameVersion, c.spreadVersion, c.commentCount, c.likeCount, c.version, c.creationDate, c.deletionDate,
		c.erased, c.ttl FROM c`
	// Most items are comments and likes, of which little is asked.
	postsQuery = `SELECT VALUE (c.type = 'post' ? c : {"id": c.id, "type": c.type, "postId": c.postId,
		"userId": c.userId, "userUsername": c.userUsername, "ttl": c.ttl}) FROM c`
	wholeQuery       = `SELECT * FROM c`
	deadLettersQuery = `SELECT c.id, c.type, c.processor, c.partitionKey, c.itemId, c.error FROM c`
)

// reading is an item that was read, or why it could not be.
type reading[T any] struct {
	item T
	id   string // if err is set
	err  error
}

// readItems reads all items of a container. While the next page is on its way,
// those that came are decoded and prepared on all processors; visit is called for
// one item at a time, in no certain order. An item that is not of its shape is a
// violation.
func readItems[T any](ctx context.Context, a *audit, c *container, name, text string, prepare func(*T), visit func(T)) error {
	pages, read := make(chan [][]byte), make(chan []reading[T])
	var failed error
	go func() {
		defer close(pages)
		failed = eachPage(ctx, c, text, func(page [][]byte) { pages <- page })
	}()
	var preparing sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		preparing.Go(func() {
			for page := range pages {
				list := make([]reading[T], len(page))
				for i, body := range page {
					list[i] = decoded(body, prepare)
				}
				read <- list
			}
		})
	}
	go func() { preparing.Wait(); close(read) }()
	for list := range read {
		for _, r := range list {
			if a.items++; a.items%1000 == 0 {
				a.progress(a.items)
			}
			if r.err != nil {
				a.violation(ruleShapes, name+" item "+r.id, "%v", r.err)
				continue
			}
			visit(r.item)
		}
	}
	return failed
}

func decoded[T any](body []byte, prepare func(*T)) (r reading[T]) {
	if r.err = json.Unmarshal(body, &r.item); r.err != nil {
		var named struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(body, &named) // an item always has an id, which is a text
		r.id = named.ID
		return r
	}
	if prepare != nil {
		prepare(&r.item)
	}
	return r
}

// scanPage is how many items are fetched at once: enough that the pages' own cost
// does not count, and few enough that the pages at hand take little memory.
const scanPage = 1000

// eachPage runs a query over all logical partitions.
func eachPage(ctx context.Context, c *container, text string, visit func(page [][]byte)) error {
	pager := c.client.NewQueryItemsPager(text, azcosmos.NewPartitionKey(), &azcosmos.QueryOptions{PageSizeHint: scanPage})
	for pager.More() {
		resp, err := returning(ctx, func() (azcosmos.QueryItemsResponse, error) { return pager.NextPage(ctx) })
		if err != nil {
			return err
		}
		visit(resp.Items)
	}
	return nil
}
