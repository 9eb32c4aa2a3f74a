package performance

import (
	"context"
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
	"inkfeed/domain/throttle"
)

// TestStepsAreChargedWhatTheyCost compares what the budget of an account pays for a new name and for the deletion of
// the account with what the workers spend. A budget refills by a constant rate, so its time shows what it has paid. The
// workers find all changes at once here, so new names cost them less than usual.
func TestStepsAreChargedWhatTheyCost(t *testing.T) {
	for name, write := range map[string]func(p *priced, author domain.User){
		"of an author of 30 posts": func(p *priced, author domain.User) {
			for range 30 {
				p.post(author)
			}
		},
		"of an author of 30 posts with three tags": func(p *priced, author domain.User) {
			for range 30 {
				post := p.newPost(author)
				post.Tags = "one, two, three"
				p.must(p.store.Posts.Create(t.Context(), post))
			}
		},
		"of a reader with 30 comments": func(p *priced, reader domain.User) {
			for n := range 30 {
				_, err := p.store.Posts.AddComment(t.Context(), p.comment(reader, p.posts[n]))
				p.must(err)
			}
		},
	} {
		for what, change := range map[string]func(ctx context.Context, p *priced, u domain.User) error{
			"a new name": func(ctx context.Context, p *priced, u domain.User) error {
				_, err := p.store.Usernames.Rename(ctx, u.ID, "caroline")
				return err
			},
			"the deletion": func(ctx context.Context, p *priced, u domain.User) error {
				return p.store.AccountDeletions.Delete(ctx, u.ID)
			},
		} {
			t.Run(what+" "+name, func(t *testing.T) {
				p := newPriced(t)
				carol := p.user("carol")
				write(p, carol)
				p.settle()
				p.pace = throttle.NewPace(throttle.New(false), client.Measure)
				p.must(change(t.Context(), p, carol))
				began := time.Now()
				spent, _ := p.settle()
				paid := p.pace.FullAt(carol.ID).Sub(began).Hours() * throttle.BudgetPerHour
				t.Logf("the workers spent %.0f RU, and the account paid %.0f RU", spent, paid)
				if paid < 0.8*spent || paid > 2.5*spent {
					t.Errorf("the workers spent %.0f RU, but the account paid %.0f RU", spent, paid)
				}
			})
		}
	}
}
