package locale

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Stored is a message as text, so that it can be stored and translated later. A message without values for slots is its
// English text, others are JSON. Earlier releases stored plain texts. They are valid, and are translated if a
// catalogue has them.
type Stored string

// Message decodes the message.
func (s Stored) Message() Message {
	var decoded struct {
		Text string            `json:"text"`
		Args []json.RawMessage `json:"args"`
	}
	switch err := json.Unmarshal([]byte(s), &decoded); {
	case err == nil && decoded.Text != "":
		m := Message{key: decoded.Text}
		for _, arg := range decoded.Args {
			m.args = append(m.args, decodeArgument(arg))
		}
		return m
	case strings.ContainsAny(string(s), special):
		return Verbatim(string(s))
	}
	return Message{key: string(s)}
}

// In returns the message in the language of the context.
func (s Stored) In(ctx context.Context) string { return s.Message().In(ctx) }

// String returns the message in English, for logs and tests.
func (s Stored) String() string { return s.Message().String() }

// storedMessage is a message with values for its slots as it is stored.
type storedMessage struct {
	Text string `json:"text"`
	Args []any  `json:"args"`
}

// The types of the values of slots that JSON does not have.
type (
	storedTime    struct{ Time time.Time }
	storedDecimal struct{ Decimal float64 }
	storedNested  struct{ Message Stored }
)

// Stored encodes the message. A Stringer in a slot becomes its text.
func (m Message) Stored() Stored {
	if len(m.args) == 0 && !strings.ContainsAny(m.key, special) {
		return Stored(m.key)
	}
	s := storedMessage{Text: m.key, Args: make([]any, len(m.args))}
	for i, arg := range m.args {
		switch arg := arg.(type) {
		case string, int, int64:
			s.Args[i] = arg
		case float64:
			s.Args[i] = storedDecimal{arg}
		case time.Time:
			s.Args[i] = storedTime{arg}
		case Message:
			s.Args[i] = storedNested{arg.Stored()}
		case Stored:
			s.Args[i] = storedNested{arg}
		default:
			s.Args[i] = fmt.Sprint(arg)
		}
	}
	data, _ := json.Marshal(s) // cannot fail: all values are texts, numbers and times
	return Stored(data)
}

// special are the characters that mean something in the texts of messages. Texts with one of them are stored as JSON,
// so that texts that were stored before messages were are never taken for messages with slots.
const special = "{|<"

// decodeArgument decodes the name or the value of a slot.
func decodeArgument(data json.RawMessage) any {
	var text string
	var n int64
	var typed struct {
		Time    *time.Time
		Decimal *float64
		Message *Stored
	}
	switch {
	case json.Unmarshal(data, &text) == nil:
		return text
	case json.Unmarshal(data, &n) == nil:
		return n
	case json.Unmarshal(data, &typed) != nil:
	case typed.Time != nil:
		return *typed.Time
	case typed.Decimal != nil:
		return *typed.Decimal
	case typed.Message != nil:
		return typed.Message.Message()
	}
	return string(data)
}

// GobEncode encodes the message as Stored does.
func (m Message) GobEncode() ([]byte, error) { return []byte(m.Stored()), nil }

// GobDecode decodes a message that GobEncode has encoded.
func (m *Message) GobDecode(data []byte) error {
	*m = Message{}
	if len(data) > 0 {
		*m = Stored(data).Message()
	}
	return nil
}
