//! Phrases that mail programs add around the sender's text, one language on each line, in lower case.

/// `Re:` and `Fwd:`, without the colon.
#[rustfmt::skip]
pub(super) const SUBJECT_PREFIXES: &[&[&str]] = &[
    &["re", "fwd", "fw", "forward"],           // English, and most others
    &["aw", "antwort", "wg"],                  // German
    &["ré", "rép", "réf", "ref", "tr"],        // French
    &["antw", "betr", "doorst"],               // Dutch
    &["r", "rif", "i"],                        // Italian
    &["res", "enc"],                           // Portuguese
    &["rv", "rta"],                            // Spanish
    &["sv", "vb", "vs", "vl", "vd"],           // Swedish, Danish, Norwegian, Finnish
    &["odp", "pd"],                            // Polish
    &["atb", "pārs"],                          // Latvian
    &["ats", "pers"],                          // Lithuanian
    &["vá", "továbbítás"],                     // Hungarian
    &["ynt", "ilt", "i̇lt"],                    // Turkish
    &["απ", "πρθ", "σχετ"],                    // Greek
    &["ha", "отв", "ответ", "пер", "пересл"],  // Russian
    &["від", "відп"],                          // Ukrainian
    &["bls", "trs"],                           // Indonesian
    &["השב", "הועבר"],                         // Hebrew
    &["رد", "إعادة توجيه"],                    // Arabic
    &["回复", "回覆", "答复", "转发", "轉寄"], // Chinese
    &["返信", "転送"],                         // Japanese
    &["회신", "전달"],                         // Korean
];

/// The beginnings of subjects that only programs write. RFC 3834, section 3.1.5, has `Auto:`.
#[rustfmt::skip]
pub(super) const AUTOMATIC_SUBJECTS: &[&[&str]] = &[
    &["auto:", "auto reply", "auto-reply", "autoreply", "auto response", "auto-response", "autoresponse"],
    &["undeliverable:", "undelivered mail", "delivery status notification", "returned mail:", "mail delivery failed"],
    &["unzustellbar:", "non remis", "no entregado", "non recapitabile", "ticket received", "ticket created", "ticket has been"],
    &["automatic reply", "automatic response", "automated reply", "automated response", "autoresponder"],
    &["out of office", "out-of-office", "out of the office", "away from my mail", "on vacation:", "vacation reply"],
    &["automatische antwort", "automatische abwesenheit", "abwesenheit", "autoantwort"],
    &["réponse automatique", "absence du bureau", "message d'absence", "absent du bureau"],
    &["respuesta automática", "respuesta automatica", "fuera de la oficina", "fuera de oficina"],
    &["risposta automatica", "fuori sede", "fuori ufficio"],
    &["automatisch antwoord", "automatische beantwoording", "afwezigheid", "afwezig:", "niet aanwezig:"],
    &["resposta automática", "fora do escritório", "ausência temporária"],
    &["autosvar", "automatiskt svar", "automatisk svar", "frånvaro", "fraværende", "fravær:", "ikke til stede"],
    &["automaattinen vastaus", "poissa:", "poissaoloilmoitus"],
    &["odpowiedź automatyczna", "automatyczna odpowiedź", "autoodpowiedź", "poza biurem"],
    &["automatická odpověď", "automatická odpoveď", "mimo kancelář"],
    &["automatikus válasz", "házon kívül"],
    &["răspuns automat"],
    &["automatski odgovor", "samodejni odgovor"],
    &["otomatik yanıt", "otomatik cevap"],
    &["αυτόματη απάντηση"],
    &["автоматический ответ", "автоответ", "автоматична відповідь", "автовідповідь"],
    &["自动回复", "自動回覆", "自動回复", "自動返信", "自動応答", "不在通知", "자동 회신", "자동회신", "부재 중"],
];

/// The text between two rows of dashes above a quoted message.
#[rustfmt::skip]
pub(super) const ORIGINAL_MESSAGE: &[&[&str]] = &[
    &["original message", "forwarded message", "original appointment", "reply message", "original email"],
    &["ursprüngliche nachricht", "originalnachricht", "weitergeleitete nachricht", "original-nachricht"],
    &["message d'origine", "message original", "message transféré", "message initial"],
    &["mensaje original", "mensaje reenviado"],
    &["messaggio originale", "messaggio inoltrato"],
    &["oorspronkelijk bericht", "origineel bericht", "doorgestuurd bericht"],
    &["mensagem original", "mensagem encaminhada"],
    &["ursprungligt meddelande", "originalmeddelande", "vidarebefordrat meddelande"],
    &["oprindelig meddelelse", "videresendt meddelelse", "original meddelelse"],
    &["opprinnelig melding", "videresendt melding"],
    &["alkuperäinen viesti", "välitetty viesti"],
    &["wiadomość oryginalna", "oryginalna wiadomość", "wiadomość przekazana dalej"],
    &["původní zpráva", "přeposlaná zpráva"],
    &["pôvodná správa", "preposlaná správa"],
    &["eredeti üzenet", "továbbított üzenet"],
    &["mesaj original", "mesajul original"],
    &["izvorna poruka", "originalna poruka", "izvirno sporočilo"],
    &["orijinal ileti", "özgün ileti", "orjinal mesaj"],
    &["αρχικό μήνυμα", "προωθημένο μήνυμα"],
    &["исходное сообщение", "пересылаемое сообщение", "пересланное сообщение"],
    &["оригінальне повідомлення", "вихідне повідомлення"],
    &["原始邮件", "邮件原件", "原始郵件", "转发邮件"],
    &["元のメッセージ", "オリジナルメッセージ", "転送メッセージ"],
    &["원본 메시지", "원본 메일"],
];

/// The labels of the header block that Outlook and similar programs put above a quoted message: from, date, subject,
/// to.
#[rustfmt::skip]
pub(super) const BLOCK_LABELS: &[[&[&str]; 4]] = &[
    [&["from"], &["sent", "date"], &["subject"], &["to", "cc"]],
    [&["von"], &["gesendet", "datum", "gesendet am"], &["betreff"], &["an", "kopie"]],
    [&["de"], &["envoyé", "date", "envoyé le"], &["objet"], &["à"]],
    [&["de"], &["enviado", "fecha", "enviado el"], &["asunto"], &["para"]],
    [&["da"], &["inviato", "data"], &["oggetto"], &["a"]],
    [&["van"], &["verzonden", "datum"], &["onderwerp"], &["aan"]],
    [&["de"], &["enviado", "data", "enviada em"], &["assunto"], &["para"]],
    [&["från"], &["skickat", "datum"], &["ämne"], &["till"]],
    [&["fra"], &["sendt", "dato"], &["emne"], &["til"]],
    [&["lähettäjä"], &["lähetetty", "päivämäärä"], &["aihe"], &["vastaanottaja"]],
    [&["od"], &["wysłano", "data", "wysłane"], &["temat"], &["do"]],
    [&["od"], &["odesláno", "datum", "odoslané"], &["předmět", "predmet"], &["komu"]],
    [&["feladó"], &["elküldve", "dátum"], &["tárgy"], &["címzett"]],
    [&["de la"], &["trimis", "data"], &["subiect"], &["către"]],
    [&["od", "šalje"], &["poslano", "datum"], &["predmet", "zadeva"], &["prima", "za"]],
    [&["kimden", "gönderen"], &["gönderildi", "tarih"], &["konu"], &["kime"]],
    [&["από"], &["στάλθηκε", "ημερομηνία"], &["θέμα"], &["προς"]],
    [&["от"], &["отправлено", "дата"], &["тема"], &["кому"]],
    [&["від"], &["надіслано", "дата"], &["тема"], &["кому"]],
    [&["发件人", "寄件者"], &["发送时间", "日期", "寄件日期"], &["主题", "主旨"], &["收件人", "收件者"]],
    [&["差出人", "送信元"], &["送信日時", "日付"], &["件名"], &["宛先"]],
    [&["보낸 사람", "보낸사람"], &["보낸 날짜", "날짜"], &["제목"], &["받는 사람"]],
];

/// The beginning of an attribution, and a word near its end.
#[rustfmt::skip]
pub(super) const WROTE: &[(&[&str], &[&str])] = &[
    (&["on "], &["wrote"]),
    (&["am "], &["schrieb"]),
    (&["le "], &["a écrit", "écrit"]),
    (&["el "], &["escribió"]),
    (&["il "], &["ha scritto"]),
    (&["op "], &["schreef", "geschreven"]),
    (&["em ", "a ", "no dia "], &["escreveu"]),
    (&["den ", "på "], &["skrev"]),
    (&["dne ", "dňa "], &["napsal", "napísal"]),
    (&["w dniu ", "dnia "], &["pisze", "napisał"]),
    (&["în ", "pe "], &["a scris"]),
    (&["dana ", "dne "], &["napisao", "napisala", "je napisal"]),
    (&["στις "], &["έγραψε"]),
    (&["в ", "пн,", "вт,", "ср,", "чт,", "пт,", "сб,", "вс,"], &["написал", "пишет"]),
    (&["у ", "в "], &["пише", "написав"]),
    (&["vào "], &["đã viết"]),
    (&["pada "], &["menulis"]),
    (&["בתאריך "], &["כתב"]),
    (&["في "], &["كتب"]),
    (&["在 ", "于", "於 "], &["写道", "寫道"]),
];

/// The beginning of an attribution that names only the author and the time.
pub(super) const QUOTING: &[&str] = &["quoting ", "zitat von "];

/// The beginning of the line that telephones and web mailers add below the text.
#[rustfmt::skip]
pub(super) const SENT_FROM: &[&[&str]] = &[
    &["sent from my ", "sent from mail for", "sent from yahoo mail", "sent from outlook", "sent from proton"],
    &["yahoo mail: search, organize, conquer", "yahoo mail: search, organise, conquer"],
    &["sent via ", "sent with proton", "sent with my", "get outlook for ", "sent using ", "sent on the go"],
    &["von meinem iphone", "von meinem ipad", "von meinem android", "von meinem samsung", "von meinem mobil"],
    &["von meinem/meiner ", "von meinem huawei", "outlook für ios", "outlook für android"],
    &["gesendet von ", "gesendet mit ", "diese nachricht wurde von meinem ", "holen sie sich outlook"],
    &["envoyé de mon ", "envoyé depuis ", "envoyé à partir de ", "télécharger outlook"],
    &["enviado desde ", "obtener outlook"],
    &["inviato da ", "inviato dal ", "scarica outlook"],
    &["verstuurd vanaf ", "verzonden vanaf ", "verzonden met "],
    &["enviado do meu ", "enviado a partir ", "enviado por meu ", "obter o outlook"],
    &["skickat från ", "skickat från min "],
    &["sendt fra min ", "sendt fra mail", "sendt fra outlook"],
    &["lähetetty iphone", "lähetetty ipad", "lähetetty android", "lähetetty laitteesta", "hanki outlook"],
    &["wysłane z ", "wysłano z "],
    &["odesláno z ", "odoslané z "],
    &["az iphone-omról küldve", "elküldve a "],
    &["trimis de pe ", "trimis din "],
    &["poslano s ", "poslano iz "],
    &["iphone'umdan gönderildi", "gönderildi: "],
    &["στάλθηκε από "],
    &["отправлено с ", "отправлено из "],
    &["надіслано з "],
    &["发自我的", "從我的", "来自我的"],
    &["iphoneから送信", "から送信"],
    &["나의 iphone에서 보냄"],
    &["đã gửi từ ", "được gửi từ ", "gửi từ iphone"],
    &["נשלח מה", "נשלח מ-", "נשלח באמצעות "],
    &["ส่งจาก", "ส่งมาจาก"],
    &["dikirim dari ", "dihantar dari ", "terkirim dari "],
    &["أُرسلت من ", "أرسلت من ", "مرسل من ", "تم الإرسال من ", "ارسال شده از ", "فرستاده شده از "],
    &["enviat des de", "enviado dende ", "enviat dende "],
    &["изпратено от ", "пратено од ", "послато са ", "poslato sa "],
    &["išsiųsta iš ", "nosūtīts no ", "sūtīts no ", "saadetud minu "],
    &["sent úr ", "sent frá ", "dërguar nga "],
];

/// What telephones and their mail programs are called, in every language.
#[rustfmt::skip]
pub(super) const TELEPHONES: &[&str] = &[
    "iphone", "ipad", "android", "samsung", "huawei", "xiaomi", "blackberry", "yahoo mail", "proton mail",
];

/// Whole lines that announce a quoted message.
#[rustfmt::skip]
pub(super) const ANNOUNCED: &[&str] = &[
    "begin forwarded message:",
    "anfang der weitergeleiteten nachricht:",
    "début du message réexpédié :",
    "inicio del mensaje reenviado:",
    "inizio messaggio inoltrato:",
    "begin doorgestuurd bericht:",
    "-----begin pgp signature-----",
];
