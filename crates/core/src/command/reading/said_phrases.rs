//! How people say yes and no in a mail, in lower case, words separated by one blank. Roughly one language on each line.

/// Yes, with a word for confirming.
#[rustfmt::skip]
pub(super) const CONFIRM: &[&str] = &[
    "confirm", "confirmed", "confirming", "i confirm", "i confirmed", "i do confirm", "i hereby confirm", "i can confirm",
    "hereby confirmed", "i want to confirm", "i would like to confirm", "i'd like to confirm", "i confirm that",
    "confirm it", "confirm this", "i confirm it", "i confirm this", "confirm my", "confirm address", "confirm account",
    "bestätigt", "bestätige", "bestätigen", "bestätigung", "ich bestätige", "ich bestätige es", "ich bestätige das",
    "hiermit bestätige ich", "hiermit bestätigt", "hiermit bestätige ich das", "bestaetigt", "ich bestaetige",
    "je confirme", "je le confirme", "confirme", "confirmer", "confirmé", "confirmée",
    "confirmo", "lo confirmo", "confirmado", "confirmada", "confirmar", "eu confirmo",
    "confermo", "lo confermo", "conferma", "confermato", "confermata", "confermare",
    "bevestig", "ik bevestig", "ik bevestig dit", "ik bevestig het", "bevestigd", "bevestigen", "bij deze bevestigd",
    "bekräfta", "bekräftar", "jag bekräftar", "jag bekräftar det", "bekräftat",
    "bekræft", "bekræfter", "jeg bekræfter", "bekræftet", "bekreft", "bekrefter", "jeg bekrefter", "bekreftet",
    "vahvista", "vahvistan", "vahvistettu",
    "potwierdzam", "potwierdzone", "potwierdzony", "potwierdzić", "potvrzuji", "potvrzeno", "potvrdzujem", "potvrđujem",
    "potrjujem", "megerősítem", "confirmă", "onaylıyorum", "onaylandı", "επιβεβαιώνω",
    "подтверждаю", "я подтверждаю", "подтверждено", "підтверджую", "потвърждавам",
    "确认", "確認", "我确认", "我確認", "確認しました", "確認します", "承認します", "확인", "확인했습니다", "확인합니다",
];

/// Yes, in other words.
#[rustfmt::skip]
pub(super) const YES: &[&str] = &[
    "yes", "y", "yep", "yeah", "yup", "aye", "ok", "okay", "o k", "sure", "of course", "certainly", "absolutely",
    "definitely", "indeed", "correct", "that's correct", "that is correct", "that's right", "that is right", "agreed",
    "i agree", "i accept", "accepted", "all right", "alright",
    "it's me", "it is me", "its me", "it was me", "that's me", "that is me", "thats me", "that was me", "this is me",
    "this was me", "it is", "it was", "i did", "i signed up",
    "i have signed up", "i've signed up", "my address", "it is my address", "it's my address", "this is my address",
    "that is my address", "that's my address", "the address is mine", "this address is mine", "it is mine", "it's mine",
    "my account",
    "ja", "jawohl", "jo", "jup", "jep", "klar", "genau", "stimmt", "das stimmt", "richtig", "natürlich", "einverstanden",
    "selbstverständlich", "das bin ich", "ich bin es", "ich bin's", "das war ich", "ich war das", "ich war es",
    "das ist meine adresse", "es ist meine adresse", "meine adresse",
    "oui", "d'accord", "c'est moi", "c'est bien moi", "c'était moi", "c'est mon adresse", "exact", "bien sûr",
    "sí", "si", "vale", "de acuerdo", "soy yo", "fui yo", "claro", "correcto", "así es", "es mi dirección",
    "sì", "va bene", "d'accordo", "sono io", "ero io", "certo", "esatto",
    "jazeker", "akkoord", "klopt", "dat klopt", "dat ben ik", "dat was ik", "ik ben het", "inderdaad",
    "sim", "sou eu", "fui eu", "está certo", "correto", "isso mesmo",
    "japp", "det är jag", "det var jag", "stämmer", "det stämmer", "okej", "det er mig", "det er meg", "det var mig",
    "det var meg", "kyllä", "joo", "juu",
    "tak", "zgadza się", "to ja", "oczywiście", "ano", "to jsem já", "áno", "igen", "da", "evet", "tamam", "ναι",
    "да", "это я", "верно", "так", "це я",
    "是", "是的", "是我", "好", "好的", "对", "對", "はい", "네", "예", "맞습니다", "نعم", "כן",
];

/// No.
#[rustfmt::skip]
pub(super) const NO: &[&str] = &[
    "no", "n", "nope", "nay", "never", "not me", "it was not me", "it wasn't me", "it is not me", "it's not me",
    "it isn't me", "that was not me", "that wasn't me", "that is not me", "that's not me", "this is not me",
    "this isn't me", "this was not me", "this wasn't me", "was not me", "wasn't me", "not my address",
    "not my account", "this is not my address", "that is not my address", "it is not my address", "not mine",
    "i did not", "i didn't", "i did not sign up", "i didn't sign up", "i have not signed up", "i haven't signed up",
    "i did not do this", "i didn't do this", "i did not do that", "i didn't do that", "wrong address", "wrong person",
    "cancel", "unsubscribe", "remove me", "delete", "stop", "not interested", "no it was not me", "no it wasn't me",
    "nein", "nö", "nicht ich", "das war ich nicht", "das bin ich nicht", "ich war das nicht", "ich war es nicht",
    "ich war's nicht", "ich bin das nicht", "falsche adresse", "das ist nicht meine adresse",
    "non", "pas moi", "ce n'est pas moi", "c'est pas moi", "ce n'était pas moi", "ce n'est pas mon adresse",
    "no soy yo", "no fui yo", "no he sido yo", "yo no", "non sono io", "non ero io", "non sono stato io",
    "non sono stata io", "nee", "neen", "dat ben ik niet", "dat was ik niet", "ik niet", "ik was het niet",
    "não", "nao", "não fui eu", "não sou eu", "eu não", "nej", "inte jag", "det är inte jag", "det var inte jag",
    "nei", "ikke mig", "ikke meg", "det er ikke mig", "det er ikke meg", "det var ikke mig", "det var ikke meg",
    "ei", "en minä", "nie", "to nie ja", "nie ja", "ne", "nem", "nem én", "nu", "nu eu", "hayır", "ben değilim", "όχι",
    "нет", "не я", "это не я", "это был не я", "это была не я", "ні", "це не я",
    "不", "不是", "不是我", "いいえ", "違います", "아니요", "아니오", "아닙니다", "لا", "לא",
];

/// Words that may stand around an answer.
#[rustfmt::skip]
pub(super) const COURTESY: &[&str] = &[
    "thanks", "thank you", "thank you very much", "thanks a lot", "many thanks", "thx", "cheers", "regards", "kind regards",
    "best regards", "and", "danke", "danke schön", "dankeschön", "vielen dank", "und", "viele grüße", "mfg",
    "mit freundlichen grüßen", "merci", "merci beaucoup", "cordialement", "gracias", "muchas gracias", "saludos", "grazie",
    "grazie mille", "saluti", "dank u", "dank je", "dank je wel", "bedankt", "obrigado", "obrigada", "tack",
    "tack så mycket", "takk", "tusen takk", "mange tak", "kiitos", "dziękuję", "dzięki", "díky", "děkuji", "köszönöm",
    "mulțumesc", "hvala", "teşekkürler", "ευχαριστώ", "спасибо", "дякую", "谢谢", "謝謝", "ありがとう",
    "ありがとうございます", "감사합니다",
];

/// Words that may follow an answer. Before one they ask us for something.
#[rustfmt::skip]
pub(super) const PLEASE: &[&str] = &[
    "please", "bitte", "s'il vous plaît", "svp", "por favor", "per favore", "alstublieft", "alsjeblieft", "aub",
    "prosím", "proszę", "lütfen", "пожалуйста", "будь ласка",
];

/// The first words of greetings.
#[rustfmt::skip]
pub(super) const GREETINGS: &[&str] = &[
    "hi", "hello", "hey", "hiya", "dear", "good", "greetings", "hallo", "guten", "liebe", "lieber", "liebes", "moin", "servus",
    "sehr", "bonjour", "bonsoir", "salut", "cher", "chère", "hola", "buenos", "buenas", "estimado", "ciao", "buongiorno",
    "buonasera", "salve", "beste", "dag", "goedendag", "olá", "ola", "oi", "bom", "boa", "caro", "cara", "hej", "hejsan",
    "god", "hei", "moi", "cześć", "witam", "dzień", "ahoj", "dobrý", "szia", "bună", "merhaba", "γεια", "привет",
    "здравствуйте", "привіт", "你好", "您好", "こんにちは", "안녕하세요",
];

/// Words that no greeting contains as a name.
#[rustfmt::skip]
pub(super) const NO_NAMES: &[&str] = &[
    "i", "i'm", "im", "i've", "i'll", "we", "you", "this", "that", "it", "is", "my", "ich", "wir", "das", "je", "yo", "io",
    "ik", "eu", "jag", "ja", "on",
];

/// Words that deny, doubt or ask. With one of them nothing is a yes.
#[rustfmt::skip]
pub(super) const NEGATIONS: &[&str] = &[
    "no", "not", "never", "none", "nobody", "nor", "neither", "cannot", "dont", "didnt", "wasnt", "isnt", "wrong", "mistake",
    "cancel", "unsubscribe", "stop", "spam", "unless", "maybe", "perhaps", "wait", "who", "what", "why",
    "nein", "nicht", "nichts", "kein", "keine", "keinen", "nie", "niemals", "niemand", "falsch", "vielleicht", "wer", "warum",
    "non", "pas", "jamais", "aucun", "aucune", "rien", "nunca", "jamás", "nada", "mai", "nee", "niet", "geen", "nooit",
    "não", "nao", "inte", "ej", "nej", "aldrig", "ikke", "nei", "aldri", "ei", "nigdy", "není", "nikdy", "nem", "nu",
    "hayır", "değil", "δεν", "όχι", "не", "нет", "никогда", "ні", "不", "不是", "没有", "いいえ", "아니요",
];

/// The beginnings of words in automatic answers.
pub(super) const AUTOMATIC: &[&str] = &[
    "automat",
    "autorepl",
    "autorespon",
    "abwesen",
    "urlaub",
    "vacation",
    "holiday",
    "absent",
    "absence",
    "away",
];
