package posts

import (
	"context"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// togetherTimeout limits work that several requests share. The work does not end with any of these requests. The
// service itself ends a batch after five seconds ("Transactional batch operations in Azure Cosmos DB").
const togetherTimeout = 5 * time.Second

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

	queued[domain.Post] // ends with the changed post
}

// responseQueues holds the responses that wait for a transaction of their post to end. They are then stored together in
// the next one, which changes the post once. Otherwise many simultaneous responses to one post would rewrite it for
// each of them, and on the service they would also lose races for it.
type responseQueues = queues[responseQueue, *response]

// responseQueue identifies a queue. A transaction contains likes or comments, because its operation determines what
// the page cache drops.
type responseQueue struct {
	postID    string
	operation client.Operation
}

// respond stores a response and returns the changed post.
func (p *Posts) respond(ctx context.Context, o client.Operation, postID string, r response) (domain.Post, error) {
	r.queued = newQueued[domain.Post](o.In(ctx))
	q := responseQueue{postID, o}
	if p.responses.enqueue(q, &r) {
		return r.wait()
	}
	defer p.responses.next(q, func(group []*response) { p.respondTogether(postID, group) })
	return p.respondAlone(postID, &r)
}

// respondTogether stores responses in one transaction. A response that makes it fail is stored alone, and the others
// together again.
func (p *Posts) respondTogether(postID string, group []*response) {
	for len(group) > 1 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), togetherTimeout)
		post, err := p.commitResponses(ctx, postID, group)
		cancel()
		if !client.IsFailedBatch(err) || client.KindOf(err) == domain.Unavailable || client.IsPartitionFull(err) {
			for _, r := range group {
				r.end(post, client.Translate(err))
			}
			return
		}
		failed := failedResponse(group, client.FailedOperation(err))
		if failed < 0 { // the post, for a reason that the responses have to explain
			break
		}
		p.respondWaiting(postID, group[failed])
		group = slices.Delete(group, failed, failed+1)
	}
	for _, r := range group {
		p.respondWaiting(postID, r)
	}
}

// failedResponse returns the index of the response to which an operation of commitResponses belongs, or -1.
func failedResponse(group []*response, operation int) int {
	if operation < len(group) {
		return operation
	}
	reply := len(group) // the operation before the replies
	for i, r := range group {
		if r.reply == nil {
			continue
		}
		if reply++; reply == operation {
			return i
		}
	}
	return -1
}

func (p *Posts) respondWaiting(postID string, r *response) {
	r.end(p.respondAlone(postID, r))
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
	batch.PatchItem(postID, countPatch(condition, group[0].count, by, len(group)), nil)
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
