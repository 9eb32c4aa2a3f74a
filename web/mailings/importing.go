package mailings

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/subscription"
	"inkfeed/domain/subscription/contacts"
	view "inkfeed/views/mailings"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// importing imports subscribers from a file. They are added in the background.
type importing struct{ handler }

func (h importing) register(e *echo.Echo) {
	site.Get(e, site.SubscribersImportPath, func(c echo.Context) error {
		return h.form(c, http.StatusOK, view.ImportPage{})
	})
	e.POST(site.SubscribersImportPath, h.submit)
}

func (h importing) form(c echo.Context, status int, p view.ImportPage) error {
	_, err := h.author(c)
	if err == nil {
		p.LayoutData, err = h.Layout(c, site.T(c, "Import subscribers"))
	}
	if err != nil {
		return err
	}
	return h.RenderForm(c, status, view.Import(p))
}

func (h importing) submit(c echo.Context) error {
	u, err := h.author(c)
	if err != nil {
		return err
	}
	p, err := h.receive(c, u)
	if err == nil {
		err = h.add(c.Request().Context(), u, p)
	}
	if err != nil {
		p.File = nil
		return site.Redisplay(h.Site, c, err, h.form, p)
	}
	return h.form(c, http.StatusOK, p)
}

// maxSource is the longest description of where people come from, in characters.
const maxSource = 200

// receive reads the form.
func (h importing) receive(c echo.Context, u domain.User) (p view.ImportPage, err error) {
	ctx, size := c.Request().Context(), c.Request().ContentLength
	if size < 0 {
		size = contacts.MaxBytes
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Import, u.ID); err != nil {
		return p, err
	}
	if err := h.Limiter.AllowBytes(ctx, u.ID, remote.Of(c.Request()), min(size, contacts.MaxBytes)); err != nil {
		return p, err
	}
	parts, err := site.MultipartForm(c)
	problem := domain.FieldError("file", "Choose a file.")
	for err == nil {
		part, failed := parts.NextPart()
		if failed == io.EOF {
			break
		} else if err = failed; err != nil {
			break
		}
		switch name := part.FormName(); {
		case name == "file" && part.FileName() != "":
			var file contacts.File
			file, problem = contacts.Read(part)
			p.File = &file
		case name == "source" || name == "asked":
			text, failed := io.ReadAll(io.LimitReader(part, maxSource*plaintext.BytesPerCharacter))
			if err = failed; name == "source" {
				p.Source = plaintext.CleanLine(string(text))
			} else {
				p.Asked = true
			}
		}
	}
	if _, large := errors.AsType[*http.MaxBytesError](cmp.Or(err, problem)); large {
		return p, domain.FieldError("file", "The file is larger than {size} MB. Split it.", "size",
			contacts.MaxBytes>>20)
	} else if parts != nil && err != nil {
		return p, echo.NewHTTPError(http.StatusBadRequest).SetInternal(err)
	} else if err != nil {
		return p, err
	}
	var unsaid, unasked error
	switch {
	case !plaintext.Shown(p.Source):
		unsaid = domain.FieldError("source", "Say where these people come from.")
	case plaintext.Exceeds(p.Source, maxSource):
		unsaid = domain.FieldError("source", "Use at most {n} characters.", "n", maxSource)
	}
	if !p.Asked {
		unasked = domain.FieldError("asked", "Import only people who have asked for your emails.")
	}
	return p, domain.JoinErrors(unsaid, unasked, problem)
}

// payload is what an import delivers.
type payload struct {
	Source   string         `json:"source"` // in the words of the author
	Language string         `json:"language"`
	Rows     []contacts.Row `json:"rows"`
}

// maxRows is the number of rows of a delivery. However its texts are escaped, it has less than 2 MB, which is as much
// as an item of the storage can have.
const maxRows = 200

// add stores the deliveries of the people in a file. The id of each is derived from its content, so the same file adds
// everybody once.
func (h importing) add(ctx context.Context, u domain.User, p view.ImportPage) error {
	now := time.Now()
	doubted, err := h.Screening.Doubts(ctx, u, now)
	if err == nil && doubted {
		err = domain.NewError(domain.Forbidden, "You can import subscribers when your account is no longer new.")
	}
	if err == nil {
		err = h.Limiter.AllowCost(ctx, ratelimit.ImportedSubscribers, u.ID, len(p.File.Rows))
	}
	if err != nil {
		return err
	}
	var deliveries []domain.Delivery
	language := locale.From(ctx).Code()
	for rows := range slices.Chunk(p.File.Rows, maxRows) {
		text, err := json.Marshal(rows)
		if err != nil {
			return err
		}
		id := sha256.Sum256(text)
		d := subscription.ImportDelivery(u.ID, hex.EncodeToString(id[:16]), now)
		deliveries = append(deliveries, h.mail.SealIn(d, payload{p.Source, language, rows}))
	}
	return h.store.Deliveries.Put(ctx, deliveries...)
}

// Rows returns a function that opens deliveries of imported subscribers, for workers/mailing.
func Rows(open func(domain.Delivery) ([]byte, error), users site.Users) func(context.Context, domain.Delivery) (
	authorID string, rows []contacts.Row, err error) {
	return func(ctx context.Context, d domain.Delivery) (string, []contacts.Row, error) {
		text, err := open(d)
		if err != nil {
			return "", nil, err
		}
		var p payload
		if err := json.Unmarshal(text, &p); err != nil {
			return "", nil, err
		}
		if _, err := users.ByID(ctx, d.UserID); err != nil {
			return "", nil, err
		}
		for n := range p.Rows {
			row := &p.Rows[n]
			row.Language, row.Consent.Imported = p.Language, d.Created
			row.Consent.Source = strings.TrimSuffix(p.Source+"; "+row.Consent.Source, "; ")
			if row.Consent.At.IsZero() {
				row.Consent.At = d.Created
			}
		}
		return d.UserID, p.Rows, nil
	}
}
