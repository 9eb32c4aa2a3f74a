// Package moderation stores the container moderation: reports, texts held for review, the site's settings and
// the audit log. Each kind of item is a partition of its own, called a queue.
package moderation
