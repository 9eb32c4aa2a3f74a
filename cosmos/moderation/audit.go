package moderation

import (
	"context"
	"net/http"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Audit is the log of actions by administrators and moderators. Each month is a partition of the container
// moderation. Entries expire after domain.AuditTime.
type Audit struct{ c *client.Container }

// NewAudit returns the audit log of a database.
func NewAudit(db *client.Database) *Audit {
	return &Audit{c: db.Container(schema.ModerationContainer)}
}

type auditItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Queue        string         `json:"queue"`
	CreationDate schema.Instant `json:"creationDate"`
	ActorID      string         `json:"actorId,omitempty"`
	ActorName    string         `json:"actorName"`
	Action       string         `json:"action"`
	TargetKind   string         `json:"targetKind"`
	TargetID     string         `json:"targetId,omitempty"`
	TargetPost   string         `json:"targetPostId,omitempty"`
	TargetName   string         `json:"targetName,omitempty"`
	Detail       string         `json:"detail,omitempty"`
	Reason       string         `json:"reason,omitempty"`
	TTL          int            `json:"ttl"`
}

// Record writes an entry that domain.NewAuditEntry has made. It writes nothing if the month has an entry with this id.
func (a *Audit) Record(ctx context.Context, e domain.AuditEntry) error {
	queue := schema.AuditQueue(e.At)
	err := a.c.Create(client.Writes("record-audit").In(ctx), queue, auditItem{
		ID:           e.ID,
		Type:         schema.TypeAudit,
		Queue:        queue,
		CreationDate: schema.Instant(e.At),
		ActorID:      e.ActorID,
		ActorName:    e.ActorName,
		Action:       string(e.Action),
		TargetKind:   e.TargetKind,
		TargetID:     e.TargetID,
		TargetPost:   e.TargetPost,
		TargetName:   e.TargetName,
		Detail:       e.Detail,
		Reason:       e.Reason,
		TTL:          int(domain.AuditTime.Seconds()),
	})
	if client.StatusOf(err) == http.StatusConflict { // an earlier attempt of this call or of its request
		return nil
	}
	return client.Translate(err)
}

// List returns one page of a month's entries, the newest first.
func (a *Audit) List(ctx context.Context, month time.Time, page int) (domain.ListPage[domain.AuditEntry], error) {
	rows, err := client.Query[auditItem](client.Reads("audit").In(ctx), a.c, schema.AuditQueue(month),
		`SELECT * FROM c WHERE c.type = 'audit'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.AuditPerPage, client.Parameters{}))
	entries := client.Convert(rows, auditItem.domain)
	return domain.Cut(entries, page, domain.AuditPerPage), client.Translate(err)
}

func (i auditItem) domain() domain.AuditEntry {
	return domain.AuditEntry{
		ID:         i.ID,
		At:         time.Time(i.CreationDate),
		ActorID:    i.ActorID,
		ActorName:  i.ActorName,
		Action:     domain.AuditAction(i.Action),
		TargetKind: i.TargetKind,
		TargetID:   i.TargetID,
		TargetPost: i.TargetPost,
		TargetName: i.TargetName,
		Detail:     i.Detail,
		Reason:     i.Reason,
	}
}
