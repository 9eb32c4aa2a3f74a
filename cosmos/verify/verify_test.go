package verify

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestVerify(t *testing.T) {
	for _, c := range slices.Concat(soundCases(), soundDrafts(), soundTalk(), soundHidden(), soundRoles(),
		soundScheduledDeletions(), soundFollows(), soundSubscriptions(), soundAccounts()) {
		t.Run(c.name+" is sound", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.must(t, inTurn(t.Context(), w, c.do, projectRows))
			for _, v := range w.violations(t) {
				t.Errorf("violation: %s", v)
			}
		})
	}
	broken := make(map[rule]bool)
	for _, cases := range [][]brokenCase{brokenItems(), brokenNames(), brokenCopies(), brokenDeletions(),
		brokenDrafts(), brokenTalk(), brokenHidden(), brokenLeases(), brokenImages(), brokenNotifications(),
		brokenMutes(),
		brokenRedirects(), brokenSessions(), brokenModeration(), brokenRoles(), brokenScheduledDeletions(),
		brokenCounters(),
		brokenDeliveries(),
		brokenCosts(), brokenPages(), brokenCommentRows(), brokenFollows(), brokenSubscriptions(),
		brokenAccounts()} {
		for _, c := range cases {
			broken[c.rule] = true
			t.Run(c.rule.String()+": "+c.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				w.must(t, c.do(t.Context(), w))
				if found := w.violations(t); !slices.ContainsFunc(found, func(v Violation) bool {
					return v.Rule == c.rule.String() && strings.Contains(v.Subject+": "+v.Detail, c.says)
				}) {
					t.Errorf("violations: %v", found)
				}
			})
		}
	}
	for r := range numRules {
		if !broken[r] {
			t.Errorf("no test breaks the rule %q", r)
		}
	}
}

// brokenCase is a way to break a rule, with a part of the expected violation. Its name is that of the broken state.
type brokenCase struct {
	rule rule
	name string
	says string
	do   func(ctx context.Context, w *world) error
}
