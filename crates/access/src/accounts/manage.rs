//! What people do with their accounts when they are signed in, and operators with those of others.

use kaisatsu_model::{AccountId, AccountState, Email, Password, Registration, Role};
use kaisatsu_store::{Account, AccountChange, AccountSession, ApplicationContents, NewAccount, SessionRow};

use super::{Accounts, attempts::MAX_FAILURES, digest};
use crate::{AccessError, key_service::random_bytes};

impl Accounts {
    /// Whether whoever registers next runs the server: nobody has registered, and anybody may.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn is_unclaimed(&self) -> Result<bool, AccessError> {
        Ok(!self.store.has_accounts().await? && self.registration().await? == Registration::Open)
    }

    /// Creates an active account, whoever may register, and returns the link with which its owner chooses a password.
    /// Until then nobody can sign in. Without a role, it is an operator where there is none, and a member elsewhere.
    ///
    /// # Errors
    /// When the address has an account already, no operator would be there, or the database fails.
    pub async fn create(&self, email: &Email, role: Option<Role>) -> Result<String, AccessError> {
        let new = NewAccount {
            id: AccountId::from_random(random_bytes()),
            email: email.clone(),
            // No password has this hash.
            password: String::new(),
            state: AccountState::Active,
            language: None,
            created_at: self.clock.now(),
        };
        if !self.store.create_account(&new, role).await? {
            return Err(AccessError::EmailTaken);
        }
        self.reset_link(&new.id).await
    }

    /// Ends the session.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out(&self, me: &AccountSession) -> Result<(), AccessError> {
        Ok(self.store.end_session(&me.account.id, me.session, self.clock.now()).await?)
    }

    /// The valid sessions of the account, the most recently used first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sessions(&self, me: &AccountSession) -> Result<Vec<SessionRow>, AccessError> {
        Ok(self.store.sessions(&me.account.id, self.clock.now()).await?)
    }

    /// Ends all other sessions of the account.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn sign_out_elsewhere(&self, me: &AccountSession) -> Result<(), AccessError> {
        Ok(self.store.end_other_sessions(&me.account.id, me.session, self.clock.now()).await?)
    }

    /// Changes the password of somebody who knows the present one; all other sessions end.
    ///
    /// # Errors
    /// When the present password is wrong or the new one breaks a rule.
    pub async fn change_password(&self, me: &AccountSession, current: &str, new: &str) -> Result<(), AccessError> {
        self.check_password(me, current).await?;
        let email = Email::new(&me.account.email).map_err(AccessError::InvalidEmail)?;
        let new = Password::new(new, &email).map_err(AccessError::InvalidPassword)?;
        let hash = self.hasher.hash(&new, true).await?;
        Ok(self.store.set_password(&me.account.id, &hash, Some(me.session), self.clock.now()).await?)
    }

    /// What is deleted with each application of an account.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn contents(&self, account: &AccountId) -> Result<Vec<ApplicationContents>, AccessError> {
        let mut all = Vec::new();
        for owned in self.store.owned_applications(Some(account)).await? {
            all.extend(self.store.application_contents(&owned.application.id).await?);
        }
        Ok(all)
    }

    /// Deletes the account of somebody who knows its password, with everything it owns.
    ///
    /// # Errors
    /// When the password is wrong, or this is the last operator.
    pub async fn delete(&self, me: &AccountSession, password: &str) -> Result<(), AccessError> {
        self.check_password(me, password).await?;
        self.store.delete_account(&me.account.id, self.clock.now()).await?;
        Ok(())
    }

    /// Wrong passwords of a session are counted too: somebody at another person's screen may not guess forever either.
    async fn check_password(&self, me: &AccountSession, password: &str) -> Result<(), AccessError> {
        let subject = digest(&format!("signed in as {}", me.account.email));
        self.count_attempt(subject, MAX_FAILURES).await?;
        let hash = self.store.password_hash(&me.account.id).await?;
        if !self.hasher.matches(password, Some(hash), true).await? {
            return Err(AccessError::WrongCredentials);
        }
        Ok(self.store.clear_sign_in_attempts(subject).await?)
    }

    /// All accounts, oldest first, each with the number of its applications.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list(&self) -> Result<Vec<(Account, i64)>, AccessError> {
        Ok(self.store.accounts().await?)
    }

    /// The account of that id, if there is one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn account(&self, id: &AccountId) -> Result<Option<Account>, AccessError> {
        Ok(self.store.account(id).await?)
    }

    /// Changes the state or the role of an account. Whoever waited for approval is told.
    ///
    /// # Errors
    /// When there is no such account, or no active operator would remain.
    pub async fn change(
        &self,
        id: &AccountId,
        state: Option<AccountState>,
        role: Option<Role>,
    ) -> Result<Account, AccessError> {
        let (account, before) = self.store.change_account(id, AccountChange { state, role }, self.clock.now()).await?;
        self.tell_decision(&account, before, Some(account.state));
        Ok(account)
    }

    /// Deletes somebody else's account, with everything it owns. Whoever waited for approval is told.
    ///
    /// # Errors
    /// When there is no such account, or no active operator would remain.
    pub async fn delete_as_operator(&self, id: &AccountId) -> Result<(), AccessError> {
        let account = self.store.delete_account(id, self.clock.now()).await?;
        self.tell_decision(&account, account.state, None);
        Ok(())
    }

    /// Who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn registration(&self) -> Result<Registration, AccessError> {
        Ok(self.store.registration().await?)
    }

    /// Changes who may register.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn set_registration(&self, registration: Registration) -> Result<(), AccessError> {
        Ok(self.store.set_registration(registration).await?)
    }
}
