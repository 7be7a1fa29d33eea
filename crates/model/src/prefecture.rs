//! The 47 prefectures of Japan by their JIS X 0401 codes.

/// A prefecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Prefecture(u8);

const NAMES: [&str; 47] = [
    "北海道",
    "青森県",
    "岩手県",
    "宮城県",
    "秋田県",
    "山形県",
    "福島県",
    "茨城県",
    "栃木県",
    "群馬県",
    "埼玉県",
    "千葉県",
    "東京都",
    "神奈川県",
    "新潟県",
    "富山県",
    "石川県",
    "福井県",
    "山梨県",
    "長野県",
    "岐阜県",
    "静岡県",
    "愛知県",
    "三重県",
    "滋賀県",
    "京都府",
    "大阪府",
    "兵庫県",
    "奈良県",
    "和歌山県",
    "鳥取県",
    "島根県",
    "岡山県",
    "広島県",
    "山口県",
    "徳島県",
    "香川県",
    "愛媛県",
    "高知県",
    "福岡県",
    "佐賀県",
    "長崎県",
    "熊本県",
    "大分県",
    "宮崎県",
    "鹿児島県",
    "沖縄県",
];

impl Prefecture {
    /// The prefecture of a JIS X 0401 code, 1 to 47.
    #[must_use]
    pub fn from_code(code: i64) -> Option<Self> {
        u8::try_from(code).ok().filter(|code| (1..=47).contains(code)).map(Self)
    }

    /// The code, 1 for Hokkaido to 47 for Okinawa.
    #[must_use]
    pub fn code(self) -> u8 {
        self.0
    }

    /// The name, with its suffix: 東京都.
    #[must_use]
    pub fn name(self) -> &'static str {
        NAMES[usize::from(self.0) - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::Prefecture;

    #[test]
    fn codes_are_those_of_jis_x_0401() {
        for (code, name) in
            [(1, "北海道"), (13, "東京都"), (14, "神奈川県"), (26, "京都府"), (27, "大阪府"), (47, "沖縄県")]
        {
            assert_eq!(Prefecture::from_code(code).map(Prefecture::name), Some(name));
        }
        assert_eq!(Prefecture::from_code(13).map(Prefecture::code), Some(13));
        for code in [i64::MIN, -1, 0, 48, 256 + 13] {
            assert_eq!(Prefecture::from_code(code), None);
        }
    }
}
