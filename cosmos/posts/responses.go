package posts

import (
	"context"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

const (
	// maxTogether is the maximum number of responses in one transaction. With a post and a parent for each they are at
	// most 65 operations, and the longest comments stay below client.MaxBatchBytes.
	maxTogether = 32
	// togetherTimeout limits a transaction of several responses, which does not end with the request of any of them.
	togetherTimeout = 30 * time.Second
)

// response is a change of a post's likes or comments: it adds or deletes an item and changes the post's count.
type response struct {
	write func(*azcosmos.TransactionalBatch) // adds or deletes the item
	reply func(*azcosmos.TransactionalBatch) // changes the comment that is replied to; nil if there is none
	count string                             // path of the count
	by    int64
	// condition is what the post must satisfy: schema.IfLive, or a condition that includes it.
	condition string
	// failed explains the failure of a transaction that has only this response, in the order write, post, reply. It
	// returns the post if there was nothing to change.
	failed func(context.Context, error) (domain.Post, error)

	ctx    context.Context
	stored chan storedResponse
}

type storedResponse struct {
	post domain.Post
	err  error
}

// responseQueues holds the responses that wait for a transaction of their post to end. They are then stored together in
// the next one, which changes the post once. Otherwise many simultaneous responses
// to one post would rewrite it for each of them, and on the service they would also lose races for it.
type responseQueues struct {
	mu      sync.Mutex
	waiting map[responseQueue][]*response // an entry exists while a transaction of the queue is under way
}

// responseQueue identifies a queue. A transaction contains likes or comments, because its operation determines what
// the page cache drops.
type responseQueue struct{ postID, operation string }

// respond stores a response and returns the changed post.
func (p *Posts) respond(ctx context.Context, operation, postID string, r response) (domain.Post, error) {
	r.ctx, r.stored = client.Operation(ctx, operation), make(chan storedResponse, 1)
	q := responseQueue{postID, operation}
	if p.responses.wait(q, &r) {
		select {
		case <-ctx.Done():
			return domain.Post{}, client.Translate(ctx.Err())
		case s := <-r.stored:
			return s.post, s.err
		}
	}
	defer p.respondNext(q)
	return p.respondAlone(postID, &r)
}

// wait adds a response to its queue. It returns false if no transaction of the queue is under way: the caller then
// stores the response and calls respondNext.
func (q *responseQueues) wait(of responseQueue, r *response) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue, busy := q.waiting[of]
	if busy {
		queue = append(queue, r)
	}
	if q.waiting == nil {
		q.waiting = make(map[responseQueue][]*response)
	}
	q.waiting[of] = queue
	return busy
}

// next removes the responses of the next transaction from a queue. If there are none, no transaction is under way.
func (q *responseQueues) next(of responseQueue) []*response {
	q.mu.Lock()
	defer q.mu.Unlock()
	queue := q.waiting[of]
	if len(queue) == 0 {
		delete(q.waiting, of)
		return nil
	}
	n := min(len(queue), maxTogether)
	q.waiting[of] = queue[n:]
	return queue[:n]
}

// respondNext stores the waiting responses of a queue in the background, until there are none.
func (p *Posts) respondNext(q responseQueue) {
	if group := p.responses.next(q); group != nil {
		go func() {
			defer p.respondNext(q)
			p.respondTogether(q.postID, group)
		}()
	}
}

// respondTogether stores responses in one transaction. If any of them fails, each is stored alone.
func (p *Posts) respondTogether(postID string, group []*response) {
	var post domain.Post
	var err error
	if len(group) > 1 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), togetherTimeout)
		post, err = p.commitResponses(ctx, postID, group)
		cancel()
	}
	for _, r := range group {
		s := storedResponse{post, client.Translate(err)}
		if len(group) == 1 || client.IsFailedBatch(err) {
			s.post, s.err = p.respondAlone(postID, r)
		}
		r.stored <- s
	}
}

func (p *Posts) respondAlone(postID string, r *response) (domain.Post, error) {
	post, err := p.commitResponses(r.ctx, postID, []*response{r})
	if err != nil {
		return r.failed(r.ctx, err)
	}
	return post, nil
}

// commitResponses stores responses with one change of the post. Its error is one of the SDK.
func (p *Posts) commitResponses(ctx context.Context, postID string, group []*response) (domain.Post, error) {
	batch := p.c.Batch(postID)
	condition, by := schema.IfLive, int64(0)
	for _, r := range group {
		r.write(&batch)
		by += r.by
		if r.condition != schema.IfLive {
			condition = r.condition
		}
	}
	batch.PatchItem(postID, countPatch(condition, group[0].count, by), nil)
	for _, r := range group {
		if r.reply != nil {
			r.reply(&batch)
		}
	}
	results, err := p.c.Execute(ctx, batch, true)
	if err != nil {
		return domain.Post{}, err
	}
	return postOf(results[len(group)])
}
