package posts

import (
	"context"
	"slices"
	"strings"

	"inkfeed/cosmos/client"
)

// CommentsBefore returns the number of comments before a place, including placeholders and hidden comments. The page of
// a comment follows from it.
func (p *Posts) CommentsBefore(ctx context.Context, postID, place string) (int, error) {
	call := &placeCall{place, newQueued[int](client.Reads("comment-place").In(ctx))}
	if p.places.enqueue(postID, call) {
		return call.wait()
	}
	defer p.places.next(postID, func(calls []*placeCall) { p.countTogether(postID, calls) })
	return p.countBefore(call.ctx, postID, place)
}

func (p *Posts) countBefore(ctx context.Context, postID, place string) (int, error) {
	n, err := client.Count(ctx, p.c, postID,
		`SELECT VALUE COUNT(1) FROM c WHERE c.postId = @post AND c.type = 'comment' AND c.place < @place`,
		client.Parameters{"post": postID, "place": place})
	return n, client.Translate(err)
}

// placeCall is a call of CommentsBefore that waits for an earlier call about the same post.
type placeCall struct {
	place       string
	queued[int] // ends with the number of rows
}

// placeQueues holds the calls of CommentsBefore that wait for another one about their post. Otherwise many
// simultaneous comments on one post would each count all earlier ones.
type placeQueues = queues[string, *placeCall]

// maxPlaces is the maximum number of places that countTogether reads.
const maxPlaces = 4 * maxTogether

// countTogether counts the rows before the first of several places, and finds the others among the places that follow.
// A place that is too far behind them is counted alone.
func (p *Posts) countTogether(postID string, calls []*placeCall) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(calls[0].ctx), togetherTimeout)
	defer cancel()
	first := slices.MinFunc(calls, func(a, b *placeCall) int { return strings.Compare(a.place, b.place) }).place
	before, err := p.countBefore(ctx, postID, first)
	var following []string
	if err == nil && len(calls) > 1 {
		following, err = p.placesFrom(ctx, postID, first)
	}
	for _, call := range calls {
		at, _ := slices.BinarySearch(following, call.place)
		if at == maxPlaces {
			call.end(p.countBefore(ctx, postID, call.place))
			continue
		}
		call.end(before+at, err)
	}
}

// placesFrom returns the first places of a post's comments from a place on, at most maxPlaces.
func (p *Posts) placesFrom(ctx context.Context, postID, place string) ([]string, error) {
	places, err := client.Query[string](ctx, p.c, postID,
		`SELECT VALUE c.place FROM c WHERE c.postId = @post AND c.type = 'comment' AND c.place >= @place
		 ORDER BY c.type ASC, c.place ASC OFFSET 0 LIMIT @limit`,
		client.Parameters{"post": postID, "place": place, "limit": maxPlaces})
	return places, client.Translate(err)
}
