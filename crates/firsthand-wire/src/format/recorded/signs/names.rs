//! The names of members that are signs.

/// What the member of a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// A flag of what compaction left.
    Summary,
    /// A flag of the same, or an account of something else.
    Account,
    /// Another agent's run, or the call that it belongs to: only another agent's message names one.
    OfARun,
    /// The name of an agent. What stands around messages names the one that a person talks to.
    AnAgent,
    /// What only messages of the model and of its tools have: a word or a flag.
    OfAModel,
    /// The same: a list, an object or a text, which may be empty in a person's message.
    Written,
    /// What an answer of the model took and which model gave it. What stands around messages says it of all of them.
    Measured,
    /// A flag with which a host says that it wrote a message itself.
    OfAHost,
    /// A flag with which a host leaves a message out.
    Unseen,
    /// Whether a message is shown: one that is not is the host's.
    Shown,
    /// Where a message comes from.
    Origin,
    /// The same, in a word that names other things elsewhere.
    Named,
    Role,
    Type,
    /// A message in the record, with signs of its own.
    Message,
    /// What is noted beside a message or a list of them.
    Beside,
}

/// The longest name that may be a sign, in bytes.
pub(super) const LONGEST: usize = 32;

/// A name without case, `_`, `-` and blanks; `None` for one that is too long to be a sign.
pub(super) fn fold<'b>(name: &str, buffer: &'b mut [u8; LONGEST]) -> Option<&'b [u8]> {
    let mut length = 0;
    for byte in name.bytes().filter(|byte| !matches!(byte, b'_' | b'-' | b' ')) {
        *buffer.get_mut(length)? = byte.to_ascii_lowercase();
        length += 1;
    }
    buffer.get(..length)
}

/// Whether the member of this name names a run above, or says that there is one.
pub(super) fn is_of_a_parent(name: &str) -> bool {
    let mut buffer = [0; LONGEST];
    let Some(name) = fold(name, &mut buffer) else { return false };
    matches!(
        name,
        b"issidechain"
            | b"issubagent"
            | b"parentagentid"
            | b"parentagenttaskid"
            | b"parentconversationid"
            | b"parentrunid"
            | b"parentsessionid"
            | b"parentthreadid"
            | b"parenttoolcallid"
            | b"parenttooluseid"
            | b"sidechain"
            | b"spawnedby"
            | b"threadspawn"
    )
}

/// What the member of this name says, if it is a sign.
pub(super) fn sign(name: &str) -> Option<Sign> {
    let mut buffer = [0; LONGEST];
    Some(match fold(name, &mut buffer)? {
        b"compactsummary" | b"iscompactsummary" | b"issummary" => Sign::Summary,
        b"summary" => Sign::Account,
        b"agentid"
        | b"callingsessionid"
        | b"callingtooluseid"
        | b"checkpointns"
        | b"fromsessionthreadid"
        | b"issidechain"
        | b"issubagent"
        | b"parentagentid"
        | b"parentagenttaskid"
        | b"parentconversationid"
        | b"parentrunid"
        | b"parentsessionid"
        | b"parentthreadid"
        | b"parenttoolcallid"
        | b"parenttooluseid"
        | b"senderagentid"
        | b"sidechain"
        | b"spawnedby"
        | b"threadspawn"
        | b"subagent"
        | b"subagentid"
        | b"subagentname"
        | b"subagenttype" => Sign::OfARun,
        b"agentname" | b"agentnickname" | b"agentpath" | b"agentrole" | b"agenttype" | b"fromagentname" => {
            Sign::AnAgent
        }
        b"callid"
        | b"caller"
        | b"encryptedcontent"
        | b"iserror"
        | b"isthinking"
        | b"isthought"
        | b"signature"
        | b"sourcetoolassistantuuid"
        | b"sourcetooluseid"
        | b"stopreason"
        | b"finishreason"
        | b"finish"
        | b"responseid"
        | b"providerresponseid"
        | b"thought"
        | b"thoughtsignature"
        | b"tool"
        | b"toolcallid"
        | b"toolname"
        | b"tooluseid" => Sign::OfAModel,
        b"executedtools" | b"functioncall" | b"functionresponse" | b"invalidtoolcalls" | b"reasoning"
        | b"reasoningcontent" | b"reasoningdetails" | b"responsemetadata" | b"thinking" | b"thinkingblocks"
        | b"thoughts" | b"toolcall" | b"toolcallchunks" | b"toolcalls" | b"toolinvocations" | b"toolresult"
        | b"tooluse" | b"tooluseresult" => Sign::Written,
        b"cost" | b"logprobs" | b"metrics" | b"model" | b"modelfingerprint" | b"modelid" | b"modelname"
        | b"systemfingerprint" | b"tokenusage" | b"tokens" | b"usage" | b"usagemetadata" => Sign::Measured,
        b"automated"
        | b"customtype"
        | b"hidefromui"
        | b"isapierrormessage"
        | b"isautomated"
        | b"isautopilotcontinuation"
        | b"isinjected"
        | b"ismeta"
        | b"isrelay"
        | b"issynthetic"
        | b"issystem"
        | b"issystemgenerated"
        | b"isvisibleintranscriptonly"
        | b"lcsource"
        | b"plancontent"
        | b"synthetic"
        | b"syntheticreason"
        | b"systemgenerated" => Sign::OfAHost,
        b"autogenerated" | b"compaction" | b"generated" | b"hidden" | b"ignored" | b"injected" | b"iscompaction"
        | b"isgenerated" | b"ishidden" | b"relay" => Sign::Unseen,
        b"display" => Sign::Shown,
        b"author" | b"authorname" | b"authorrole" | b"kind" | b"origin" | b"platform" | b"promptsource"
        | b"provenance" | b"sender" | b"sessionkind" | b"sessiontype" | b"source" | b"threadsource" | b"userrole"
        | b"usertype" => Sign::Origin,
        b"agent" | b"channel" | b"createdby" | b"from" | b"name" | b"roletype" | b"speaker" | b"visibility" => {
            Sign::Named
        }
        b"role" => Sign::Role,
        b"type" => Sign::Type,
        b"attachment" | b"data" | b"event" | b"info" | b"item" | b"kwargs" | b"message" | b"payload" => Sign::Message,
        b"additionalkwargs" | b"checkpoint" | b"config" | b"configurable" | b"context" | b"extra" | b"meta"
        | b"metadata" | b"session" => Sign::Beside,
        _ => return None,
    })
}
