package dependency_test

import (
	"testing"

	"inkfeed/cosmos/dependency"
)

func TestCountsDistinguishLikesFromOtherChanges(t *testing.T) {
	before := dependency.Counts{Rest: 1, Version: 10, Comments: 5, Likes: 7}
	for name, tt := range map[string]struct {
		now                   dependency.Counts
		onlyCounts, onlyLikes bool
	}{
		"nothing": {before, true, false},
		"a like": {dependency.Counts{Rest: 1, Version: 11, Comments: 5, Likes: 8}, true,
			true},
		"three likes": {dependency.Counts{Rest: 1, Version: 13, Comments: 5, Likes: 10}, true,
			true},
		"a removed like": {dependency.Counts{Rest: 1, Version: 11, Comments: 5, Likes: 6}, true,
			false},
		"a like that was added and removed": {dependency.Counts{Rest: 1, Version: 12, Comments: 5, Likes: 7}, false,
			false},
		"a comment": {dependency.Counts{Rest: 1, Version: 11, Comments: 6, Likes: 7}, true,
			false},
		"a deleted comment": {dependency.Counts{Rest: 1, Version: 11, Comments: 4, Likes: 7}, true,
			false},
		"a deleted comment, and a like": {dependency.Counts{Rest: 1, Version: 12, Comments: 4, Likes: 8}, true,
			false},
		"a comment in place of a deleted one, and likes": {dependency.Counts{Rest: 1, Version: 14, Comments: 5,
			Likes: 9}, false,
			false},
		"a deleted comment that was hidden, and a like": {dependency.Counts{Rest: 1, Version: 12, Comments: 5,
			Likes: 8}, false, false},
		"an edit":                   {dependency.Counts{Rest: 2, Version: 11, Comments: 5, Likes: 7}, false, false},
		"an edit that was reverted": {dependency.Counts{Rest: 1, Version: 12, Comments: 5, Likes: 7}, false, false},
		"an edit and a like":        {dependency.Counts{Rest: 2, Version: 12, Comments: 5, Likes: 8}, false, false},
		"the erased likes and comment of a deleted account": {dependency.Counts{Rest: 1, Version: 11, Comments: 4,
			Likes: 6}, true, false},
		"the erased likes of a deleted account, and new likes": {dependency.Counts{Rest: 1, Version: 13, Comments: 5,
			Likes: 7}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.now.OnlyCounts(before); got != tt.onlyCounts {
				t.Errorf("OnlyCounts is %v", got)
			}
			if got := tt.now.OnlyLikes(before); got != tt.onlyLikes {
				t.Errorf("OnlyLikes is %v", got)
			}
		})
	}
}
