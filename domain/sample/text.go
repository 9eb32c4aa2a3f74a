package sample

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// subject is a subject of posts, with words that fit the sentences below.
type subject struct {
	field  string   // "gardening"
	things []string // countable, singular
	acts   []string // verbs in the base form, with the object left out
	places []string // with their preposition
	traits []string // adjectives of a thing
}

// topic generates sentences about one subject. It repeats a sentence only after it has used all.
type topic struct {
	*rand.Rand
	subject
	order []int // the order of the sentences
	next  int
}

func newTopic(random *rand.Rand) *topic {
	return &topic{Rand: random, subject: pick(random, subjects), order: random.Perm(len(sentencePatterns))}
}

func (t *topic) sentence() string {
	pattern := sentencePatterns[t.order[t.next%len(t.order)]]
	t.next++
	return t.fill(pattern)
}

func (t *topic) thing() string { return pick(t.Rand, t.things) }
func (t *topic) act() string   { return pick(t.Rand, t.acts) }
func (t *topic) place() string { return pick(t.Rand, t.places) }
func (t *topic) trait() string { return pick(t.Rand, t.traits) }

// fill replaces the placeholders {thing}, {act}, {place}, {trait} and {field} in a pattern by words of the subject.
func (t *topic) fill(pattern string) string {
	for _, slot := range []struct {
		name string
		word func() string
	}{{"{thing}", t.thing}, {"{act}", t.act}, {"{place}", t.place}, {"{trait}", t.trait},
		{"{field}", func() string { return t.field }}} {
		for strings.Contains(pattern, slot.name) {
			pattern = strings.Replace(pattern, slot.name, slot.word(), 1)
		}
	}
	pattern = beforeVowel.ReplaceAllString(pattern, "${1}n $2")
	return strings.ToUpper(pattern[:1]) + pattern[1:]
}

// beforeVowel matches the articles that need an n before the words used here.
var beforeVowel = regexp.MustCompile(`\b([Aa]) ([aeiou]|honest)`)

func (t *topic) sentences(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = t.sentence()
	}
	return strings.Join(list, " ")
}

func (t *topic) title() string { return t.fill(pick(t.Rand, titlePatterns)) }

// article returns Markdown of about 1 to 3 KB, the size of a post in the article.
func (t *topic) article() string {
	var b strings.Builder
	b.WriteString(t.sentences(between(t.Rand, 2, 4)))
	for range between(t.Rand, 2, 4) {
		if t.IntN(3) == 0 {
			fmt.Fprintf(&b, "\n\n## %s", t.fill(pick(t.Rand, headingPatterns)))
		}
		fmt.Fprintf(&b, "\n\n%s", t.sentences(between(t.Rand, 2, 6)))
		switch t.IntN(6) {
		case 0:
			for range between(t.Rand, 3, 5) {
				fmt.Fprintf(&b, "\n- %s", t.fill(pick(t.Rand, notePatterns)))
			}
		case 1:
			fmt.Fprintf(&b, "\n\n> %s", t.sentences(1))
		}
	}
	return strings.ReplaceAll(b.String(), ".\n- ", ".\n\n- ")
}

func (t *topic) comment() string {
	s := t.fill(pick(t.Rand, replyPatterns))
	if t.IntN(2) == 0 {
		s += " " + t.sentence()
	}
	return s
}

var firstNames = strings.Fields(`ada alma amir anouk aya bela bruno carla chidi clara dario dina edda elif
	emil enzo fatou felix freya gita greta hana hugo ida ines iris ivan jana joao jonas jun kai karim
	keiko lars leila liam lina lucia luka maja malik marta mila milan mina nadia nils noa nora olga
	omar otto paula pia priya rafa rania remi rosa ruth sami sara selma sofia sven tara tomas uma vera
	victor wanda wei yara yuki zane zoe`)

var lastNames = strings.Fields(`abbas adeyemi almeida andersson baker banerjee bauer berger castillo chen
	costa dahl diallo dubois eriksen farah fischer fontaine garcia gomez haddad hansen hoffmann horvat
	ibrahim ito jansen johansson kaya keller khan kimura kovacs kruger larsen leone lindqvist lopez
	marino martin mendes meyer moreau nakamura ncube nguyen novak okafor olsen ortega patel pereira
	petrov quinn ramos rossi saito santos schmidt silva singh sokolov tanaka torres vargas virtanen
	weber wolff yilmaz zhang`)

var subjects = []subject{
	{"gardening", strings.Fields("tomato hedge compost rose seedling trellis greenhouse lawn bulb"),
		strings.Fields("water prune plant harvest mulch weed"),
		[]string{"behind the shed", "on the south wall", "in the raised bed", "under the pear tree",
			"at the allotment"},
		strings.Fields("stubborn fragrant overgrown early hardy thirsty")},
	{"baking", strings.Fields("sourdough starter loaf crust oven dough croissant rye tin"),
		strings.Fields("knead proof bake score fold taste"),
		[]string{"in a cold kitchen", "at the village bakery", "on a baking stone", "before breakfast",
			"at my aunt's table"},
		strings.Fields("crisp sticky golden dense sour warm")},
	{"cycling", strings.Fields("saddle climb chain tyre commute bottle jacket bell descent"),
		strings.Fields("ride fix oil climb pedal pack"),
		[]string{"along the canal", "over the pass", "in the rain", "through the old town", "on the way to work"},
		strings.Fields("steep rusty quiet long muddy fast")},
	{"programming", strings.Fields("compiler test parser queue index cache deadline function review"),
		strings.Fields("profile rewrite delete measure deploy refactor"),
		[]string{"in production", "on a Friday", "behind a flag", "at the whiteboard", "over one long weekend"},
		strings.Fields("clever boring slow elegant brittle small")},
	{"astronomy", strings.Fields("comet nebula telescope eclipse lens planet chart tripod cluster"),
		strings.Fields("observe sketch photograph follow name wait"),
		[]string{"far from the city", "on a frozen field", "just before dawn", "from the balcony",
			"at the observatory"},
		strings.Fields("faint distant blue unexpected ancient bright")},
	{"reading", strings.Fields("novel library margin translation bookmark essay shelf paperback chapter"),
		strings.Fields("borrow annotate reread lend finish recommend"),
		[]string{"on the night train", "in a second-hand shop", "by the window", "at the end of the day",
			"between two meetings"},
		strings.Fields("slim unfinished honest dusty strange generous")},
	{"music", strings.Fields("melody rehearsal violin chorus record tempo bridge concert tune"),
		strings.Fields("practise hum record tune transcribe play"),
		[]string{"in the church hall", "after midnight", "on an old tape", "with the windows open", "in the back room"},
		strings.Fields("slow familiar sad loud unwritten bright")},
	{"travel", strings.Fields("ferry map border hostel suitcase station detour ticket harbour"),
		strings.Fields("wander miss find pack wait return"),
		[]string{"in the far north", "off season", "without a plan", "at the last stop", "across the strait"},
		strings.Fields("crowded foggy remote cheap late friendly")},
}

var titlePatterns = []string{
	"What a {trait} {thing} taught me about {field}", "The {thing} {place}", "Against the {trait} {thing}",
	"Notes on a {trait} {thing}", "How not to {act} a {thing}", "A year of {field}",
	"The {trait} {thing}, and other lessons", "Why I still {act} {place}", "In praise of the {trait} {thing}",
	"One {thing}, three mistakes", "Everything I know about the {thing}", "A {thing} for people in a hurry",
	"Learning to {act} again", "{field}, one {thing} at a time",
}

var headingPatterns = []string{
	"What went wrong", "The {thing} itself", "What I would do again", "A word on the {thing}",
	"Where to begin", "Some figures", "To {act} or not to {act}",
}

var sentencePatterns = []string{
	"Last week I tried to {act} {place}, and it went better than I feared.",
	"Every {thing} has a story, and this one begins {place}.",
	"People who love {field} will tell you that a {trait} {thing} is no accident.",
	"I used to think that a {thing} had to be {trait}; now I am not so sure.",
	"There is no shortcut: you {act}, you wait, and you {act} once more.",
	"The first {thing} was {trait}, the second one worse, and the third one I kept.",
	"My neighbour laughed at the {thing}, then asked whether she could borrow it.",
	"It took me a whole season to understand why the {thing} was so {trait}.",
	"If you only remember one thing, let it be this: never {act} when you are tired.",
	"We met {place} and talked about nothing but {field} for three hours.",
	"A {trait} {thing} costs little and forgives a lot.",
	"Most advice about the {thing} is written by people who never had to {act} one.",
	"I wrote down every attempt, and the list is longer than I like to admit.",
	"What surprised me was how {trait} everything felt {place}.",
	"You can do without a {thing}, but you should know what you are missing.",
	"In the end the {thing} mattered less than the people who came to look at it.",
	"Somebody had left a {thing} {place}, with a note that said only “please {act}”.",
	"Ask ten people about {field} and you will hear eleven opinions on the {thing}.",
}

var notePatterns = []string{
	"Start with a {trait} {thing}", "Never {act} twice in a day", "Keep the {thing} dry",
	"Look for help {place}", "Write the date on every {thing}", "When in doubt, {act} less",
}

var replyPatterns = []string{
	"Thank you for this.", "I had the same trouble with a {thing} {place}.", "Lovely, and so true.",
	"I disagree about the {thing}, but I enjoyed reading this.", "Could you say more about how you {act}?",
	"This made my morning.", "I read this {place} and had to smile.", "My {thing} is just as {trait}!",
	"Please write a second part.", "You convinced me to {act} again.", "Beautifully put.",
}
