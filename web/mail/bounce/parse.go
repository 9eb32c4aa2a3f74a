package bounce

import (
	"bufio"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"strings"
)

// Kind is what a returned message says about an address.
type Kind string

// The kinds of returned messages.
const (
	Permanent Kind = "permanent" // the address will take no mails
	Temporary Kind = "temporary" // this mail was given up, or is late; the address may take others
	Complaint Kind = "complaint" // the receiver has called the mail spam
)

// Report is what a returned message says.
type Report struct {
	SubscriberID string
	PostID       string // empty: the mail is not of a single post, or the message does not include its headers
	Kind         Kind
}

// Limits of a returned message. What comes later is ignored: the report comes before the returned mail.
const (
	maxBytes  = 1 << 20
	maxParts  = 50
	maxDepth  = 4
	maxBlocks = 50 // receivers in a report
)

// mboxLine begins the line with which mail servers may begin a message for a pipe.
const mboxLine = "From "

// Errors of Parse.
var (
	ErrNoReport = errors.New("this message is neither a report about a failed delivery (RFC 3464) nor a complaint " +
		"(RFC 5965)")
	ErrNotOurs = errors.New("this message is not about a mail of this site, or INKFEED_SESSION_KEYS has changed since")
)

// Parse reads a message that a mail server has returned. It returns ErrNoReport or ErrNotOurs for any other message.
func (s *Signer) Parse(r io.Reader) (Report, error) {
	p := parser{signer: s}
	in := bufio.NewReader(io.LimitReader(r, maxBytes))
	if start, _ := in.Peek(len(mboxLine)); string(start) == mboxLine {
		_, _ = in.ReadString('\n')
	}
	header, _ := textproto.NewReader(in).ReadMIMEHeader()
	p.read(header, in, 0)
	switch {
	case p.Kind == "":
		return Report{}, ErrNoReport
	case p.SubscriberID == "":
		return Report{}, ErrNotOurs
	}
	return p.Report, nil
}

type parser struct {
	Report
	signer *Signer
	parts  int
}

// read reads a part of the message. Mail servers make mistakes in reports, so what cannot be read is left out.
func (p *parser) read(header textproto.MIMEHeader, body io.Reader, depth int) {
	p.find(header)
	kind, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return
	}
	if strings.EqualFold(header.Get("Content-Transfer-Encoding"), "base64") {
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	switch kind {
	case "message/delivery-status", "message/global-delivery-status", "message/feedback-report":
		in := textproto.NewReader(bufio.NewReader(body))
		for n := 0; err == nil && n < maxBlocks; n++ {
			var fields textproto.MIMEHeader
			fields, err = in.ReadMIMEHeader()
			p.readFields(fields)
		}
	case "message/rfc822", "message/global", "text/rfc822-headers", "message/global-headers":
		returned, _ := textproto.NewReader(bufio.NewReader(body)).ReadMIMEHeader()
		p.find(returned)
	}
	if !strings.HasPrefix(kind, "multipart/") || depth >= maxDepth {
		return
	}
	for parts := multipart.NewReader(body, params["boundary"]); p.parts < maxParts; p.parts++ {
		part, err := parts.NextPart()
		if err != nil {
			return
		}
		p.read(part.Header, part, depth+1)
	}
}

// find looks for the names of receivers in headers. The first subscriber counts.
func (p *parser) find(header textproto.MIMEHeader) {
	for _, values := range header {
		for _, value := range values {
			subscriberID, postID, ok := p.signer.find(value)
			if ok && p.SubscriberID == "" {
				p.SubscriberID = subscriberID
			}
			if ok && postID != "" && subscriberID == p.SubscriberID {
				p.PostID = postID
			}
		}
	}
}

// readFields reads what happened to a mail to one receiver, or why it is complained about. Refusals because of a policy
// (5.7) concern the mail or this server, not the address.
func (p *parser) readFields(fields textproto.MIMEHeader) {
	p.find(fields)
	status := fields.Get("Status")
	switch action := strings.ToLower(fields.Get("Action")); {
	case action == "failed" && strings.HasPrefix(status, "5.") && !strings.HasPrefix(status, "5.7."):
		p.Kind = Permanent
	case (action == "failed" || action == "delayed") && p.Kind == "":
		p.Kind = Temporary
	}
	switch strings.ToLower(fields.Get("Feedback-Type")) {
	case "abuse", "fraud", "opt-out": // others are about authentication, or mails that are no spam
		p.Kind = Complaint
	}
}
