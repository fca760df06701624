//! The few words that decide whether a line with a turn in it is that turn: what people write around a turn, and what
//! makes a turn doubtful. One language on each line, in lower case.

use crate::command::reading::word::{Word, split};

/// Words that begin a salutation.
#[rustfmt::skip]
const GREETINGS: &[&str] = &[
    "hi", "hello", "hey", "dear", "hiya", "howdy", "greetings", "good morning", "good afternoon", "good evening", "good day",
    "hallo", "liebe", "lieber", "guten tag", "guten morgen", "guten abend", "moin", "servus", "grüß",
    "salut", "bonjour", "bonsoir", "cher", "chère", "coucou",
    "hola", "buenos días", "buenas tardes", "buenas noches", "buenas", "querido", "querida",
    "ciao", "salve", "buongiorno", "buonasera", "caro", "cara",
    "olá", "oi", "bom dia", "boa tarde", "boa noite", "prezado", "prezada",
    "hoi", "beste", "goedemorgen", "goedemiddag", "goedenavond", "dag",
    "hej", "hei", "god morgon", "god dag", "moi", "terve",
    "cześć", "ahoj", "dobrý den", "szia", "bună", "merhaba", "γεια",
    "привет", "здравствуй", "здравствуйте", "добрый день", "привіт",
    "你好", "こんにちは", "안녕하세요",
];

/// Beginnings of words to the other player, which nobody writes to say that a turn is not meant.
#[rustfmt::skip]
const WISHES: &[&str] = &[
    "good luck", "good game", "good night", "gl", "gg", "hf", "glhf", "have fun", "have a", "thanks", "thank you", "thx", "cheers",
    "best wishes", "best regards", "kind regards", "regards", "all the best", "yours", "love", "take care", "enjoy",
    "your turn", "your move", "over to you", "well played", "nice game", "nice move", "nice one", "great move", "great game", "bye",
    "see you", "sorry for", "sorry about", "sorry, i was", "sorry i was", "happy new", "happy birthday", "merry christmas",
    "here is my", "here's my", "here comes my", "here you are",
    "viel glück", "viel erfolg", "viel spaß", "danke", "vielen dank", "gruß", "grüße", "viele grüße", "liebe grüße", "schöne grüße",
    "schönen", "schönes", "du bist dran", "bis bald", "tschüss", "mfg", "lg",
    "bonne chance", "merci", "bon jeu", "bonne journée", "à toi", "amicalement", "cordialement", "à bientôt",
    "buena suerte", "suerte", "gracias", "saludos", "te toca", "tu turno", "hasta luego",
    "buona fortuna", "in bocca al lupo", "grazie", "saluti", "tocca a te", "a presto",
    "boa sorte", "obrigado", "obrigada", "abraço", "abraços", "sua vez",
    "succes", "bedankt", "dank je", "groet", "groeten", "groetjes", "jij bent",
    "lycka till", "tack", "hälsningar", "held og lykke", "lykke til", "hilsen", "onnea", "kiitos", "terveisin",
    "powodzenia", "dzięki", "pozdrawiam", "hodně štěstí", "díky", "köszönöm", "mulțumesc", "teşekkürler",
    "удачи", "спасибо", "твой ход", "ваш ход", "щасти", "дякую",
];

/// What may stand with a colon before a turn: at least one of these,
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "move", "turn", "moves", "turns", "play", "action", "zug", "spielzug", "coup", "jugada", "movimiento", "turno", "mossa", "jogada",
    "lance", "zet", "beurt", "drag", "træk", "trekk", "siirto", "ruch", "tah", "lépés", "mutare", "hamle", "κίνηση", "ход", "хід",
    "着手", "수",
];

/// and perhaps some of these.
#[rustfmt::skip]
const LABEL_FILLERS: &[&str] = &[
    "my", "the", "next", "new", "first", "our", "is", "here", "here's", "this", "now", "answer", "reply", "i", "so",
    "mein", "nächster", "neuer", "hier", "ist", "der", "mon", "prochain", "voici", "mi", "próxima", "siguiente", "aquí", "está",
    "la", "el", "il", "mia", "mio", "ecco", "meu", "minha", "mijn", "mitt", "mit", "min", "mój", "můj", "мой", "мій",
];

/// Words that make a turn on their line doubtful: a condition, an alternative, a doubt, a denial.
#[rustfmt::skip]
const HEDGES: &[&str] = &[
    "but", "or", "if", "not", "never", "wait", "stop", "maybe", "perhaps", "instead", "would", "could", "should", "might", "may",
    "thought", "think", "thinking", "consider", "considered", "considering", "isn't", "don't", "didn't",
    "can't", "cannot", "won't", "wouldn't", "couldn't", "shouldn't", "unless", "except", "rather", "hmm", "hm",
    "probably", "almost", "nearly", "wanted", "unsure", "mistake", "joke", "kidding", "joking",
    "undo", "suppose", "imagine", "tempted", "hesitate",
    "aber", "oder", "wenn", "falls", "nicht", "kein", "keine", "vielleicht", "wäre", "hätte", "würde", "könnte", "sollte", "warte",
    "doch", "statt", "eher", "überlege", "dachte",
    "mais", "ou", "pas", "si", "peut-être", "serait", "aurait", "jamais", "attends", "plutôt",
    "pero", "quizás", "quizá", "sería", "nunca", "espera", "sino",
    "ma", "oppure", "se", "forse", "sarebbe", "mai", "aspetta", "invece",
    "mas", "não", "talvez", "seria", "espere",
    "maar", "niet", "geen", "misschien", "zou", "wacht", "liever",
    "men", "eller", "inte", "ikke", "hvis", "kanske", "måske", "kanskje", "skulle", "vänta", "mutta", "tai", "ei", "ehkä",
    "ale", "lub", "albo", "jeśli", "może", "nebo", "když", "možná", "vagy", "talán", "nem", "dar", "sau", "dacă",
    "но", "или", "если", "не", "может", "бы", "або", "якщо",
];

/// Words that deny what stands before them if they stand alone: "no, wait", not "no hurry".
const NO: &[&str] = &["no", "nein", "non", "nee", "nej", "nei", "nie", "ne", "нет", "ні"];

/// The most words of a salutation.
const GREETING_WORDS_MAX: usize = 5;

/// The longest text that is taken for a salutation or a label, in bytes.
const SHORT_MAX: usize = 60;

/// A word in lower case, without the signs around it.
fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether a text begins with one of these phrases, as whole words.
fn begins_with(text: &str, phrases: &[&str]) -> bool {
    let text = text
        .trim_start_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let is_end = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    phrases
        .iter()
        .any(|phrase| text.strip_prefix(phrase).is_some_and(is_end))
}

/// Whether a text has a word that makes a turn on its line doubtful.
pub(super) fn hedges(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().enumerate().any(|(at, word)| {
        let bare = bare(word);
        let stands_alone = at + 1 == words.len() || !word.ends_with(char::is_alphanumeric);
        HEDGES.contains(&bare.as_str()) || (stands_alone && NO.contains(&bare.as_str()))
    })
}

/// Whether a text is short, and so plain that it may be a salutation.
fn is_short_and_plain(text: &str) -> bool {
    let is_short = text.len() <= SHORT_MAX && text.split_whitespace().count() <= GREETING_WORDS_MAX;
    is_short && !text.contains(['?', ':']) && !text.contains(|c: char| c.is_ascii_digit()) && !hedges(text)
}

/// Whether a text is a salutation: `Hi Anna,`.
pub(super) fn is_salutation(text: &str) -> bool {
    is_short_and_plain(text) && begins_with(text, GREETINGS)
}

/// Whether a whole line is a salutation, which may be a name alone: `Anna,`.
pub(super) fn is_greeting(line: &str) -> bool {
    let line = line.trim();
    let words = split(line);
    let is_capital = |word: &Word| word.text.starts_with(char::is_uppercase);
    let is_name = (1..=2).contains(&words.len()) && line.ends_with(',') && words.iter().all(is_capital);
    is_salutation(line) || (is_name && is_short_and_plain(line))
}

/// Whether a text is words to the other player, such as `Good luck, Anna!`.
pub(super) fn is_wish(text: &str) -> bool {
    let sentence_end = text.find(['.', '!', '?']);
    let asks = sentence_end.is_some_and(|at| text[at..].starts_with('?'));
    begins_with(text, WISHES) && !asks && !hedges(text)
}

/// The text after a label such as `My move:`.
pub(super) fn after_label(text: &str) -> Option<&str> {
    let (label, after) = text.split_once(':')?;
    if label.len() > SHORT_MAX {
        return None;
    }
    let words: Vec<String> = label.split_whitespace().map(bare).collect();
    let is_noun = |word: &String| LABELS.contains(&word.as_str());
    let is_filler = |word: &String| LABEL_FILLERS.contains(&word.as_str());
    let is_label = words.iter().any(is_noun) && words.iter().all(|word| is_noun(word) || is_filler(word));
    is_label.then(|| after.trim_start())
}

/// Whether a text is an emoticon or pictures alone, such as `:-)`.
pub(super) fn is_emoticon(text: &str) -> bool {
    let is_face = |word: &str| {
        let Some(rest) = word.strip_prefix([':', ';', '=', '8', 'x', 'X']) else {
            return matches!(word, "^^" | "^_^" | "<3");
        };
        let mouth = rest.strip_prefix(['-', '\'', 'o', '^']).unwrap_or(rest);
        !mouth.is_empty()
            && mouth
                .chars()
                .all(|c| matches!(c, ')' | '(' | 'D' | 'P' | 'p' | ']' | '}' | '/'))
    };
    let is_picture = |word: &str| {
        word.chars()
            .all(|c| !c.is_ascii() && !c.is_alphanumeric() && c != '…')
    };
    let mut words = text.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| is_face(word) || is_picture(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salutations_are_short_and_say_nothing_else() {
        for text in [
            "Hi Anna,",
            "hello",
            "Anna,",
            "Dear Anna Maria,",
            "Guten Morgen!",
            "Привет, Анна!",
        ] {
            assert!(is_greeting(text), "{text}");
        }
        for text in [
            "Hi Anna, I thought about it",
            "anna,",
            "No,",
            "Wait,",
            "Himalaya",
            "Hello?",
            "Hi, I was away for a whole week",
            "",
        ] {
            assert!(!is_greeting(text), "{text}");
        }
    }

    #[test]
    fn wishes_ask_nothing_and_doubt_nothing() {
        for text in [
            "Good luck",
            "good luck, Anna!",
            "Thanks. How are you?",
            "Viele Grüße",
            "gg",
        ] {
            assert!(is_wish(text), "{text}");
        }
        for text in [
            "thanks?",
            "good luck, but no",
            "No hurry",
            "goodness",
            "your moves are strong",
            "",
        ] {
            assert!(!is_wish(text), "{text}");
        }
    }

    #[test]
    fn a_label_has_only_words_of_labels() {
        for text in [
            "Move: x",
            "My next move is: x",
            "Here is my move: x",
            "mein Zug: x",
        ] {
            assert_eq!(after_label(text), Some("x"), "{text}");
        }
        for text in [
            "Not my move: x",
            "my: x",
            ": x",
            "Bad move: x",
            "Your move: x",
            "move x",
            "m13-m5:l4",
        ] {
            assert_eq!(after_label(text), None, "{text}");
        }
    }

    #[test]
    fn faces_and_pictures_are_emoticons() {
        for text in [":-)", ";)", ":D", "xD", "^^", "\u{1f600}", ":) :)", "=]"] {
            assert!(is_emoticon(text), "{text}");
        }
        for text in ["", ":", ":l4", "-", "->", "...", "\u{2026}", "d2", ":d2", "8"] {
            assert!(!is_emoticon(text), "{text}");
        }
    }
}
