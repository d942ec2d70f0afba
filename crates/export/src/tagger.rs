//! Runs an external tagger or word segmenter, and takes its tokens into vertical text and CoNLL-U.
//!
//! The command is started once. It gets the sentences of the documents on standard input, one per line. For each
//! sentence, it writes the tokens on standard output, one per line, and then an empty line. A token is a word, or a
//! word, its tag and its lemma separated by tabs. Words of several syllables may have spaces or `_`.
//!
//! The command may write its output late, because sentences are written while others wait for their tokens.
//!
//! The tokens must be those of their sentence: at least half of the first tokens must stand in it, in their order.
//! Otherwise, a command that left out a sentence would give all later sentences the tokens of others.
//!
//! Limitation: a document waits in memory until its tokens have arrived. A command that reads all its input before
//! it writes makes all documents wait.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use gleaner_corpus::Document;
use gleaner_corpus::quality::sentences;

use crate::tokens::is_blank;
use crate::{ExportError, RecordContext};

/// Maximum length of a token with its tag and lemma, in bytes.
const MAX_LINE: u64 = 64 << 10;

/// Number of tokens that are looked for in their sentence.
const MAX_COMPARED: usize = 50;

/// The sentences of each line of a document, with the tokens of a tagger.
pub type TaggedLines = Vec<Vec<Vec<TaggedToken>>>;

/// A token of a tagger.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaggedToken {
    /// The word.
    pub word: String,
    /// The tag. Empty if the tagger gives none.
    pub tag: String,
    /// The lemma. Empty if the tagger gives none.
    pub lemma: String,
    /// The word as in the sentence, such as `Hà Nội` for `Hà_Nội`. Empty if it is not in the sentence.
    pub surface: String,
    /// Whether the next token follows directly, without white space.
    pub is_glued: bool,
}

/// An external tagger that runs.
#[derive(Debug)]
pub struct Tagger {
    command: String,
    child: Child,
    input: Option<BufWriter<ChildStdin>>,
    answers: Receiver<io::Result<Vec<TaggedToken>>>,
    waiting: VecDeque<Waiting>,
    answered: u64,
}

/// A document whose sentences the tagger has got.
#[derive(Debug)]
struct Waiting {
    document: Document,
    context: RecordContext,
    /// The sentences of each line that have no tokens yet, and those with tokens. `None` if the document is not tagged.
    lines: Option<(VecDeque<(usize, String)>, TaggedLines)>,
}

impl Tagger {
    /// Starts the command in a shell.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn start(command: &str) -> Result<Self, ExportError> {
        let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
        let child = Command::new(shell)
            .args([option, command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| failure(command, format!("cannot be started: {error}")))?;
        let mut tagger = Self {
            command: command.into(),
            child,
            input: None,
            answers: channel().1,
            waiting: VecDeque::new(),
            answered: 0,
        };
        tagger.input = tagger.child.stdin.take().map(BufWriter::new);
        if let Some(output) = tagger.child.stdout.take() {
            let (sender, answers) = channel();
            tagger.answers = answers;
            thread::spawn(move || read_answers(&mut BufReader::new(output), &sender));
        }
        Ok(tagger)
    }

    /// Hands in a document. It keeps its place among the others, but only a document with `is_tagged` gets tokens.
    ///
    /// # Errors
    /// The command has ended.
    pub fn push(
        &mut self,
        document: Document,
        context: RecordContext,
        is_tagged: bool,
    ) -> Result<(), ExportError> {
        let mut waiting = Waiting { document, context, lines: None };
        if is_tagged {
            let sentences = sentences_of(&waiting.document.text);
            let written = self.input.as_mut().map_or(Ok(()), |input| {
                sentences.iter().try_for_each(|(_, sentence)| writeln!(input, "{sentence}"))
            });
            let lines = vec![Vec::new(); waiting.document.text.lines().count()];
            waiting.lines = Some((sentences, lines));
            self.waiting.push_back(waiting);
            if written.is_err() {
                self.input = None;
                // The command has ended, and what it wrote tells why.
                return self.last().map(drop).and(Err(self.ended_early()));
            }
        } else {
            self.waiting.push_back(waiting);
        }
        Ok(())
    }

    /// Returns the next document if all its tokens have arrived.
    ///
    /// # Errors
    /// The command wrote something else than tokens.
    pub fn ready(&mut self) -> Result<Option<(Document, RecordContext)>, ExportError> {
        while self.waiting.front().is_some_and(Waiting::lacks_tokens) {
            match self.answers.try_recv() {
                Ok(answer) => self.take(answer)?,
                Err(_) => return Ok(None),
            }
        }
        Ok(self.waiting.pop_front().map(Waiting::finish))
    }

    /// Returns the next document after the last one was handed in. Returns `None` if there are no more.
    ///
    /// # Errors
    /// The command failed, or wrote tokens for more or fewer sentences than it got.
    pub fn last(&mut self) -> Result<Option<(Document, RecordContext)>, ExportError> {
        if let Some(Err(_)) = self.input.take().map(|mut input| input.flush()) {
            return Err(self.ended_early());
        }
        while self.waiting.front().is_some_and(Waiting::lacks_tokens) {
            match self.answers.recv() {
                Ok(answer) => self.take(answer)?,
                Err(_) => return Err(self.ended_early()),
            }
        }
        match self.waiting.pop_front() {
            Some(waiting) => Ok(Some(waiting.finish())),
            None => self.finish().map(|()| None),
        }
    }

    /// Ends the command in the middle of an export: closes its input, and reads what it still writes.
    pub fn stop(mut self) {
        self.input = None;
        while self.answers.recv().is_ok() {}
        // The documents so far are right, so the result of the command does not matter.
        let _ = self.child.wait();
    }

    fn finish(&mut self) -> Result<(), ExportError> {
        if self.answers.recv().is_ok() {
            return Err(failure(
                &self.command,
                format!(
                    "wrote tokens for more than the {} sentences that it got: write one empty line after each sentence",
                    self.answered
                ),
            ));
        }
        match self.child.wait() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(failure(&self.command, format!("failed: {status}"))),
            Err(error) => Err(failure(&self.command, format!("failed: {error}"))),
        }
    }

    fn take(&mut self, answer: io::Result<Vec<TaggedToken>>) -> Result<(), ExportError> {
        let tokens = answer.map_err(|error| {
            failure(&self.command, format!("wrote no tokens for sentence {}: {error}", self.answered + 1))
        })?;
        self.answered += 1;
        if let Some((sentences, lines)) = self.waiting.front_mut().and_then(|waiting| waiting.lines.as_mut())
            && let Some((line, sentence)) = sentences.pop_front()
        {
            if !are_of(&sentence, &tokens) {
                let words: Vec<&str> = tokens.iter().take(5).map(|token| token.word.as_str()).collect();
                let reason = format!(
                    "wrote \"{}\" for the sentence \"{sentence}\": write the tokens of each sentence, and then an empty line",
                    words.join(" ")
                );
                return Err(failure(&self.command, reason));
            }
            lines[line].push(glued(&sentence, tokens));
        }
        Ok(())
    }

    fn ended_early(&mut self) -> ExportError {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let next = self.waiting.iter().find_map(|waiting| Some(&waiting.lines.as_ref()?.0.front()?.1));
        let next = next.map(|sentence| format!("; the next sentence is \"{sentence}\"")).unwrap_or_default();
        failure(
            &self.command,
            format!("ended after the tokens of {} sentences ({status}){next}", self.answered),
        )
    }
}

impl Drop for Tagger {
    fn drop(&mut self) {
        self.input = None;
        // After an error or a limit, nothing reads what the command writes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Waiting {
    fn lacks_tokens(&self) -> bool {
        self.lines.as_ref().is_some_and(|(sentences, _)| !sentences.is_empty())
    }

    fn finish(mut self) -> (Document, RecordContext) {
        self.context.tagged = self.lines.map(|(_, lines)| lines);
        (self.document, self.context)
    }
}

fn failure(command: &str, reason: String) -> ExportError {
    ExportError::Tagger { command: command.into(), reason }
}

/// Returns the sentences of a text, each with the number of its line. A run of white space and control characters
/// becomes one space.
fn sentences_of(text: &str) -> VecDeque<(usize, String)> {
    let mut all = VecDeque::new();
    for (number, line) in text.lines().enumerate() {
        for sentence in sentences(line) {
            let parts: Vec<&str> = sentence.split(is_blank).filter(|part| !part.is_empty()).collect();
            if !parts.is_empty() {
                all.push_back((number, parts.join(" ")));
            }
        }
    }
    all
}

fn read_answers(output: &mut impl BufRead, sender: &Sender<io::Result<Vec<TaggedToken>>>) {
    let mut tokens = Vec::new();
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(MAX_LINE).read_until(b'\n', &mut line).and_then(|length| {
            if length as u64 == MAX_LINE {
                return Err(io::Error::other(format!("a line has more than {MAX_LINE} bytes")));
            }
            Ok(length)
        });
        let answer = match read {
            // The last sentence may lack its empty line.
            Ok(0) if tokens.is_empty() => return,
            Ok(0) => Ok(std::mem::take(&mut tokens)),
            Ok(_) => match token(&line) {
                Ok(Some(token)) => {
                    tokens.push(token);
                    continue;
                }
                Ok(None) => Ok(std::mem::take(&mut tokens)),
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        let is_failure = answer.is_err();
        if sender.send(answer).is_err() || is_failure {
            return;
        }
    }
}

/// Parses a line of a tagger. Returns `None` for an empty line.
fn token(line: &[u8]) -> io::Result<Option<TaggedToken>> {
    let line = std::str::from_utf8(line).map_err(|_| io::Error::other("a line is not UTF-8"))?;
    let line = line.trim_end_matches(['\r', '\n']);
    if line.trim().is_empty() {
        return Ok(None);
    }
    let mut columns = line.split('\t').map(|column| column.trim().to_owned());
    let mut next = || columns.next().unwrap_or_default();
    let token = TaggedToken { word: next(), tag: next(), lemma: next(), ..TaggedToken::default() };
    if token.word.is_empty() || columns.next().is_some() {
        let message = format!("\"{line}\" is neither a word nor a word, a tag and a lemma separated by tabs");
        return Err(io::Error::other(message));
    }
    Ok(Some(token))
}

/// Whether at least half of the first tokens stand in the sentence, in their order.
fn are_of(sentence: &str, tokens: &[TaggedToken]) -> bool {
    let (mut rest, mut found) = (sentence, 0);
    let compared = &tokens[..tokens.len().min(MAX_COMPARED)];
    for token in compared {
        let word = token.word.replace('_', " ");
        let at = rest.find(&token.word).map(|at| at + token.word.len());
        if let Some(end) = at.or_else(|| rest.find(&word).map(|at| at + word.len())) {
            rest = &rest[end..];
            found += 1;
        }
    }
    !compared.is_empty() && found * 2 >= compared.len()
}

/// Finds the tokens in their sentence, and marks those that no white space follows. Changes nothing from the first
/// token that is not in the sentence.
fn glued(sentence: &str, mut tokens: Vec<TaggedToken>) -> Vec<TaggedToken> {
    let mut rest = sentence;
    for token in &mut tokens {
        rest = rest.trim_start();
        let begin = rest;
        for c in token.word.chars() {
            let after = rest.trim_start();
            match after.strip_prefix(c) {
                Some(after) => rest = after,
                None if c == '_' || c.is_whitespace() => {}
                None => return tokens,
            }
        }
        token.surface = begin[..begin.len() - rest.len()].to_owned();
        token.is_glued = rest.chars().next().is_some_and(|next| !next.is_whitespace());
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_another_sentence_are_noticed() {
        let are_of = |sentence: &str, words: &str| {
            let token = |word: &str| TaggedToken { word: word.into(), ..TaggedToken::default() };
            super::are_of(sentence, &words.split(' ').map(token).collect::<Vec<_>>())
        };
        assert!(are_of("Ở Hà Nội, mưa.", "Ở Hà_Nội , mưa ."));
        assert!(are_of("(Reuters) It's \"late\".", "-LRB- Reuters -RRB- It 's `` late '' ."));
        assert!(!are_of("Ở Hà Nội, mưa.", "Bà con về chợ sớm ."));
        assert!(!super::are_of("Mưa.", &[]));
    }

    #[test]
    fn tokens_are_found_in_their_sentence() {
        let of = |sentence: &str, words: &[&str]| {
            let token = |word: &&str| TaggedToken { word: (*word).into(), ..TaggedToken::default() };
            let tokens = glued(sentence, words.iter().map(token).collect());
            let token =
                |token: &TaggedToken| format!("{}{}", token.surface, if token.is_glued { "+" } else { "/" });
            tokens.iter().map(token).collect::<String>()
        };
        assert_eq!(of("Ở Hà Nội, mưa.", &["Ở", "Hà_Nội", ",", "mưa", "."]), "Ở/Hà Nội+,/mưa+./");
        assert_eq!(of("Ở Hà Nội, mưa.", &["Ở", "Hà Nội", ",", "mưa", "."]), "Ở/Hà Nội+,/mưa+./");
        assert_eq!(of("a_b c", &["a_b", "c"]), "a_b/c/");
        assert_eq!(of("don't.", &["do", "n't", "."]), "do+n't+./");
        assert_eq!(of("a, b.", &["a", "X", ",", "b", "."]), "a+////");
    }
}
