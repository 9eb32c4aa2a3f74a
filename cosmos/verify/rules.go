package verify

import (
	"cmp"
	"fmt"
	"slices"
)

// Note stands in place of the rule of a finding that breaks none. Operators decide about it.
const Note = "note"

// Violation is a broken rule of the data model.
type Violation struct {
	Rule    string // the broken rule, or Note
	Subject string // the item that breaks it
	Detail  string
}

func (v Violation) String() string {
	return fmt.Sprintf("%s: %s: %s", v.Rule, v.Subject, v.Detail)
}

// rule is a statement that holds whenever the workers have caught up.
type rule int

// The rules are in the order of the report. The causes of violations come before their consequences.
const (
	ruleTypes rule = iota
	ruleShapes
	ruleIDs
	ruleLikeIDs
	ruleCounts
	ruleThreads
	ruleAuthors
	ruleCurrentNames
	rulePropagated
	ruleSuspended
	ruleUniqueNames
	ruleReservedNames
	ruleNameOwners
	ruleCredentials
	ruleRoles
	ruleAccountRows
	ruleScheduledDeletion
	ruleTrash
	ruleEmails
	ruleSessions
	ruleDeliveries
	ruleAvatars
	ruleCopies
	ruleOneCopy
	ruleFeed
	ruleTags
	ruleBookmarks
	ruleFollows
	ruleTimelines
	ruleSubscribers
	ruleTombstones
	ruleStaleListings
	ruleDeletions
	ruleOrphans
	ruleExpiry
	ruleCounters
	ruleCosts
	ruleDrafts
	ruleScheduled
	ruleWithdrawn
	rulePreviews
	ruleVersions
	ruleReports
	ruleReviews
	ruleCommentRows
	rulePages
	ruleInvitations
	ruleAudit
	ruleSitePictures
	ruleLeases
	ruleTiling
	ruleDeadLetters
	numRules
)

func (r rule) String() string {
	return [numRules]string{
		ruleTypes:             "items are of a known type",
		ruleShapes:            "items have the shape of their type",
		ruleIDs:               "ids fit their partitions",
		ruleLikeIDs:           "a like's id is derived from the user's",
		ruleCounts:            "counts equal items",
		ruleThreads:           "replies stand below their comments",
		ruleAuthors:           "authors exist",
		ruleCurrentNames:      "usernames are current",
		rulePropagated:        "renames are propagated",
		ruleSuspended:         "items of suspended users are hidden",
		ruleUniqueNames:       "usernames are unique",
		ruleReservedNames:     "usernames are reserved",
		ruleNameOwners:        "reserved names have an owner",
		ruleCredentials:       "users have credentials",
		ruleRoles:             "administrators are listed",
		ruleAccountRows:       "the list of accounts has every account",
		ruleScheduledDeletion: "scheduled deletions are in the schedule",
		ruleTrash:             "posts in the trash are in the schedule",
		ruleEmails:            "verified addresses belong to their accounts",
		ruleSessions:          "sessions belong to users and expire",
		ruleDeliveries:        "deliveries wait where they are found",
		ruleAvatars:           "avatars are pictures of their users",
		ruleCopies:            "copies equal projections",
		ruleOneCopy:           "a post has one copy in users",
		ruleFeed:              "the feed is the newest posts",
		ruleTags:              "a tag lists the posts that have it",
		ruleBookmarks:         "bookmarks are copied to their readers",
		ruleFollows:           "follows and followers agree",
		ruleTimelines:         "timelines have the posts of what their readers follow",
		ruleSubscribers:       "subscribers and lists agree",
		ruleTombstones:        "tombstones stand for removed posts",
		ruleStaleListings:     "no stale listings remain",
		ruleDeletions:         "deletions are complete",
		ruleOrphans:           "nothing is orphaned",
		ruleExpiry:            "live items do not expire",
		ruleCounters:          "counters expire",
		ruleCosts:             "measured costs expire",
		ruleDrafts:            "drafts have an author",
		ruleScheduled:         "scheduled drafts are in the schedule",
		ruleWithdrawn:         "unpublished posts have drafts",
		rulePreviews:          "preview links lead to drafts",
		ruleVersions:          "versions are of past revisions",
		ruleReports:           "undecided reports are in the queue",
		ruleReviews:           "the review queue has the held texts and no others",
		ruleCommentRows:       "comments have rows in the overview",
		rulePages:             "static pages are listed",
		ruleInvitations:       "invitations stay within their limits",
		ruleAudit:             "audit entries are in their month and expire",
		ruleSitePictures:      "the site's pictures are stored",
		ruleLeases:            "leases are well-formed",
		ruleTiling:            "leases tile the hash space",
		ruleDeadLetters:       "there are no dead letters",
	}[r]
}

// mostReported is the maximum number of reported violations of one rule. It limits memory, even if every item is
// wrong.
const mostReported = 1000

// findings are the violations found so far: the number for each rule, and the first ones.
type findings struct {
	found [numRules]int
	first [numRules][]Violation
}

func (f *findings) add(r rule, subject, format string, args ...any) {
	f.found[r]++
	f.first[r] = append(f.first[r], Violation{Rule: r.String(), Subject: subject, Detail: fmt.Sprintf(format, args...)})
	if len(f.first[r]) >= 2*mostReported {
		f.cut(r)
	}
}

// cut sorts the violations of a rule and keeps those that are reported.
func (f *findings) cut(r rule) {
	slices.SortFunc(f.first[r], func(x, y Violation) int {
		return cmp.Or(cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Detail, y.Detail))
	})
	f.first[r] = f.first[r][:min(len(f.first[r]), mostReported)]
}

// report passes the violations to a function, rule by rule, and returns their number.
func (f *findings) report(to func(Violation)) (total int) {
	for r := range numRules {
		f.cut(r)
		for _, v := range f.first[r] {
			to(v)
		}
		if more := f.found[r] - len(f.first[r]); more > 0 {
			to(Violation{Rule: r.String(), Subject: "others", Detail: fmt.Sprintf("%d more", more)})
		}
		total += f.found[r]
	}
	return total
}
