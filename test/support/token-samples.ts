/** Texts of our own, by kind, as agents store them: what an estimate of tokens is checked against. */

const PROSE = [
  'The team moved the booking service to Postgres last winter, and nobody has missed the old database since.',
  'Ada prefers short meetings before noon; she will not accept anything on a Friday afternoon unless a customer is waiting for an answer.',
  'After the second outage we agreed that every deployment needs a second pair of eyes, a rehearsal on the staging cluster and a plan for going back.',
  'Her doctor advised against flying until the end of April, so the visit to Lisbon became a long weekend in the mountains.',
];

const CODE = `export async function loadConfig(path: string): Promise<Config> {
  const raw = await readFile(path, { encoding: 'utf8' });
  const parsed = JSON.parse(raw) as Partial<Config>;
  if (!parsed.endpoint?.startsWith('https://')) {
    throw new ConfigError(\`endpoint must use TLS, got \${parsed.endpoint ?? 'nothing'}\`);
  }
  for (let i = 0; i < (parsed.retries ?? MAX_RETRIES); i++) queue.push(() => fetchOnce(parsed, i));
  return { ...DEFAULTS, ...parsed, loadedAt: Date.now() };
}

def merge(left: list[int], right: list[int]) -> list[int]:
    """Merge two sorted lists."""
    out, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]: out.append(left[i]); i += 1
        else: out.append(right[j]); j += 1
    return out + left[i:] + right[j:]

SELECT u.id, count(*) AS n FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE o.total >= 99.95 GROUP BY u.id HAVING n > 3 ORDER BY n DESC;
$ docker run --rm -it -p 8080:80 -v "$PWD/data:/srv/data:ro" --env-file .env nginx:1.27-alpine && echo $?`;

export const TOKEN_SAMPLES: Readonly<Record<string, string>> = {
  'English prose': PROSE.join(' '),
  'observations in English': [
    'Works at Google in Zurich since March 2021',
    'Uses python-docx 1.2.0 and lxml 6.0.2',
    'Prefers dark roast, no sugar',
    'Migrated billing from Stripe to Adyen (ADR-014)',
    "Andrii's standup is at 09:15 CET, Mon-Thu",
    'Kubernetes 1.31 on Hetzner, 3 nodes, 64 GB each',
  ].join('\n'),
  names: [
    'Andrii Shevchenko, Zbigniew Brzęczyszczykiewicz, Siobhán Ní Dhomhnaill, Nguyễn Thị Minh Khai, Øyvind Åsgård,',
    'Xochitl Quetzalcoatl, Mwangi wa Kĩbaki, Łódź, Reykjavík, Hjørring, Szczecin, Gdańsk, Villingen-Schwenningen',
  ].join(' '),
  code: CODE,
  JSON: JSON.stringify({
    id: 'evt_1Nx9LqK2eZvKYlo2',
    object: 'event',
    created: 1_769_004_000,
    livemode: false,
    data: {
      items: [
        { sku: 'KX-4410-B', qty: 3, price: 19.99, tags: ['new', 'eu'], dims: [12.5, 8, 0.75] },
        { sku: 'KX-4411-C', qty: 0, price: 7.5, tags: [], note: null },
      ],
      customer: { name: 'M. Okafor', email: 'm.okafor+shop@example.org', vat: 'DE811907980' },
    },
  }),
  'indented JSON': JSON.stringify(
    {
      compilerOptions: { strict: true, paths: { '#graph/*': ['./src/graph/*'] }, lib: ['ES2024'] },
    },
    null,
    2,
  ),
  identifiers:
    'getUserById fetch_all_rows HTTPServerError XMLHttpRequest kMaxRetryCount OAuth2Provider mem_cpy_s __init__ std::vector<int> org.apache.commons.lang3 @scope/pkg-name my-custom-element SCREAMING_SNAKE_CASE useEffectOnce vkCreateSwapchainKHR npm_config_registry idx2sym',
  URLs: 'https://example.org/a/b?utm_source=x&id=42#top http://localhost:8787/mcp/atlas?toolsets=core,graph&readonly=1 ssh://git@git.example.net:2222/team/repo.git https://cdn.example.com/assets/index-BX3kQ9_a.js?v=7f3e s3://bucket-eu/2026/01/20/part-00017.parquet mailto:ops@example.org',
  paths:
    '/usr/local/lib/python3.12/site-packages/numpy/core/_multiarray_umath.so C:\\Users\\ada\\AppData\\Local\\Temp\\~DF3A.tmp ../../src/store/migrations.ts ~/.ssh/id_ed25519.pub /etc/nginx/sites-enabled/default',
  UUIDs:
    '7d444840-9dc0-11d1-b245-5ffdce74fad2 f47ac10b-58cc-4372-a567-0e02b2c3d479 01933c5e-8f2a-7bbd-9c41-2b6de0f1a357 0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  hashes:
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709 0xDEADBEEFCAFE',
  'base64 and keys':
    'ZXhhbXBsZSBvZiBhIHNlY3JldCB0aGF0IG5vYm9keSBzaG91bGQgc3RvcmU= AAAAC3NzaC1lZDI1NTE5AAAAIJq0vJx8KkYwQmR3hVt2 npm_q8ZtV2kXw9RbLmN4pYcD7sHf eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r',
  digits:
    '3.14159265358979323846264338327950288419716939937510 4111 1111 1111 1111 +49 30 901820 18446744073709551615 0.000001 1,234,567.89 2026-01-20T10:00:00.000Z 192.168.100.254 1769004000000 12:59:59 50.4501,30.5234',
  Markdown: `# Runbook: restore

> **Note** do this on *staging* first.

| step | command | takes |
|------|:-------:|------:|
| 1 | \`pg_restore -j 4 dump.bin\` | ~12 min |
| 2 | \`./verify.sh --all\` | 3 min |

- [x] tell [the channel](https://chat.example.org/c/ops)
- [ ] write the ***post-mortem***
  1. what
  2. why

\`\`\`sh
curl -fsSL https://example.org/x | sh
\`\`\`
---
![graph](img/a.png "A graph") ~~gone~~ <br/> &nbsp; [^1]`,
  punctuation:
    '!?!?!? ... --- *** === >>> <<< ((((())))) {[()]} #$%^&*~`|\\/ ;;;; ,,,, @@ _-_ (╯°□°)╯︵ ┻━┻ “quoted” «guillemets» — – … • § ¶ † ™ © ½ ≈ ≠ ∑ √ ∞ → ⇒ ✓ ✗ ★ ░▒▓ ┌─┐│└─┘',
  capitals:
    'WARNING: DO NOT RESTART THE PRODUCTION DATABASE BEFORE THE BACKUP HAS FINISHED. CONTACT THE ON-CALL ENGINEER. FYI ASAP EOD TBD NASA UNESCO HTTP/2 TLSv1.3',
  'letters without sense':
    'xqzjv kwpt bfgh mnrtl qwxz vbnmk lkjhgf zxcvb trwq plmokn ijbuhv ygctfx rdzesw aqmkop hgtrfd bnjmkl xcvfgt yhnbju wsxedc rfvtgb',
  German:
    'Die Bundesregierung hat die Donaudampfschifffahrtsgesellschaft nicht übernommen, obwohl die Wirtschaftlichkeitsprüfung günstig ausgefallen war. Frau Müller bevorzugt Besprechungen am Vormittag und möchte die Rechnungen künftig ausschließlich elektronisch erhalten; ihre Straßenbahnhaltestelle heißt Königsplatz.',
  French:
    "L'équipe a décidé de déménager la base de données après l'été, parce que l'hébergeur précédent n'était plus à la hauteur. Élodie préfère qu'on l'appelle l'après-midi, sauf s'il s'agit d'une urgence où il faut agir aussitôt.",
  Spanish:
    '¿Dónde está la reunión? El señor Muñoz prefiere las mañanas y nunca trabaja los viernes por la tarde; además, pidió que le enviáramos las facturas únicamente por correo electrónico.',
  Polish:
    'Zespół przeniósł usługę rezerwacji na nową bazę danych, ponieważ poprzednia często się zawieszała. Pani Wiśniewska woli spotkania przed południem i prosi, żeby nie dzwonić do niej w piątki.',
  Finnish:
    'Kehitystiimi siirsi varausjärjestelmän uuteen tietokantaan, koska edellinen kaatuili jatkuvasti. Epäjärjestelmällisyydestään huolimatta hän työskentelee mieluiten aamupäivisin.',
  Turkish:
    'Ekip, rezervasyon hizmetini geçen kış yeni veritabanına taşıdı; çünkü öncekisi sürekli çöküyordu. Ayşe Hanım toplantıları öğleden önce yapmayı tercih ediyor ve cuma günleri çalışmıyor.',
  Vietnamese:
    'Nhóm đã chuyển dịch vụ đặt chỗ sang cơ sở dữ liệu mới vì hệ thống cũ thường xuyên bị lỗi. Chị Hương thích họp vào buổi sáng và không làm việc vào chiều thứ sáu.',
  Ukrainian:
    'Команда перенесла сервіс бронювання на нову базу даних минулої зими, бо попередня постійно падала. Андрій надає перевагу коротким зустрічам до обіду й не працює в п’ятницю ввечері, якщо клієнт не чекає на відповідь.',
  Russian:
    'Прошлой зимой команда перенесла сервис бронирования на новую базу данных, потому что прежняя постоянно падала. Она предпочитает короткие встречи до обеда и не отвечает на звонки в пятницу вечером.',
  Greek:
    'Η ομάδα μετέφερε την υπηρεσία κρατήσεων σε νέα βάση δεδομένων τον περασμένο χειμώνα, επειδή η προηγούμενη κατέρρεε συνεχώς. Προτιμά τις συναντήσεις πριν από το μεσημέρι.',
  Hebrew:
    'הצוות העביר את שירות ההזמנות למסד נתונים חדש בחורף שעבר, כי הקודם קרס שוב ושוב. היא מעדיפה פגישות קצרות לפני הצהריים ואינה עובדת בימי שישי.',
  Arabic:
    'نقل الفريق خدمة الحجز إلى قاعدة بيانات جديدة في الشتاء الماضي لأن القديمة كانت تتعطل باستمرار. تفضّل السيدة ليلى الاجتماعات القصيرة قبل الظهر ولا تعمل يوم الجمعة.',
  Persian:
    'تیم سرویس رزرو را زمستان گذشته به پایگاه دادهٔ جدیدی منتقل کرد، چون پایگاه قبلی مدام از کار می‌افتاد. او جلسه‌های کوتاه پیش از ظهر را ترجیح می‌دهد.',
  Chinese:
    '团队去年冬天把预订服务迁移到了新的数据库，因为旧的经常崩溃。王芳喜欢在上午开短会，除非有客户在等待答复，否则她周五下午不工作。她住在北京市海淀区中关村大街二十七号，邮箱已经更新。',
  'traditional Chinese':
    '團隊去年冬天把預訂服務遷移到新的資料庫，因為舊的經常當機。她喜歡在上午開短會，住在臺北市信義區，養了一隻叫做芝麻的貓，並且對花生過敏。',
  Japanese:
    'チームは去年の冬に予約サービスを新しいデータベースへ移行しました。以前のものは頻繁に落ちていたからです。佐藤さんは午前中の短い会議を好み、金曜日の午後は働きません。東京タワーの近くに住んでいます。',
  Korean:
    '팀은 지난겨울에 예약 서비스를 새 데이터베이스로 옮겼습니다. 이전 것은 자주 멈췄기 때문입니다. 김민수 씨는 오전의 짧은 회의를 좋아하고 금요일 오후에는 일하지 않습니다. 서울 강남구에 삽니다.',
  Hindi:
    'टीम ने पिछली सर्दियों में बुकिंग सेवा को नए डेटाबेस पर स्थानांतरित किया, क्योंकि पुराना बार-बार बंद हो जाता था। प्रिया दोपहर से पहले छोटी बैठकें पसंद करती है और शुक्रवार की शाम को काम नहीं करती।',
  Bengali:
    'দলটি গত শীতে বুকিং পরিষেবাটি নতুন ডেটাবেসে সরিয়ে নিয়েছে, কারণ পুরোনোটি বারবার বন্ধ হয়ে যেত। সে দুপুরের আগে ছোট বৈঠক পছন্দ করে।',
  Tamil:
    'கடந்த குளிர்காலத்தில் குழு முன்பதிவு சேவையை புதிய தரவுத்தளத்திற்கு மாற்றியது. அவர் மதியத்திற்கு முன் குறுகிய கூட்டங்களை விரும்புகிறார்.',
  Thai: 'ทีมงานย้ายบริการจองไปยังฐานข้อมูลใหม่เมื่อฤดูหนาวที่แล้ว เพราะของเดิมล่มบ่อย เธอชอบประชุมสั้น ๆ ก่อนเที่ยงและไม่ทำงานในบ่ายวันศุกร์ เขาอาศัยอยู่ในกรุงเทพมหานคร',
  Georgian:
    'გუნდმა გასულ ზამთარს დაჯავშნის სერვისი ახალ მონაცემთა ბაზაში გადაიტანა. ის ამჯობინებს მოკლე შეხვედრებს შუადღემდე.',
  Armenian:
    'Թիմը անցած ձմռանը ամրագրման ծառայությունը տեղափոխեց նոր տվյալների բազա։ Նա նախընտրում է կարճ հանդիպումներ կեսօրից առաջ։',
  Amharic: 'ቡድኑ ባለፈው ክረምት የቦታ ማስያዣ አገልግሎቱን ወደ አዲስ የመረጃ ቋት አዛወረ። አጫጭር ስብሰባዎችን ከሰዓት በፊት ትመርጣለች።',
  Khmer: 'ក្រុមបានផ្លាស់ប្តូរសេវាកម្មកក់ទៅមូលដ្ឋានទិន្នន័យថ្មីកាលពីរដូវរងាមុន ព្រោះមូលដ្ឋានចាស់គាំងញឹកញាប់។',
  emoji: '🎉 Launch day! 🚀🚀 👩‍💻👨🏽‍🔬 🇺🇦🇩🇪 ❤️‍🔥 😀😅🤣 1️⃣2️⃣ ☕️ 🌿🌿🌿 🏳️‍🌈 👍🏿 🫠 ✅ ⚠️ 📦 7 boxes 🗓️ Mon',
  mathematics:
    '∀ε>0 ∃δ>0: |x−a|<δ ⇒ |f(x)−f(a)|<ε; ∫₀^∞ e^{−x²} dx = √π/2; x₁ ∈ ℝⁿ, A ⊆ B, λ≈0.577, 𝔼[X]=μ, 𝕏 ≤ ½',
  'rare characters': 'ᚠᚢᚦᚨᚱᚲ 𐍈𐌰𐌽 ꙮ ⸘ 𓀀𓁐𓂀 ℵ ㋿ ꧁꧂ ᠮᠣᠩᠭᠣᠯ ⵜⴰⵎⴰⵣⵉⵖⵜ ߒߞߏ ᏣᎳᎩ 龘靐齉爩 𠮷𡈽 ﷽',
};
